#include "sources/lists/decoding/image_survey.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include <octavo/errors.hpp>

#include "images/color.hpp"
#include "images/image_reader.hpp"
#include "images/mask_alignment.hpp"
#include "support/threads.hpp"

namespace octavo::sources {
namespace {

using images::KeptHeader;

class Survey {
 public:
  Survey(std::span<const ImageList> lists, const SourceOptions& options) : options_(options) {
    for (const ImageList& list : lists) {
      for (const SplitImages& images : list.splits) {
        for (std::size_t i = 0; i < images.paths.size(); ++i) images_.push_back({&images, i});
      }
      ends_.push_back(images_.size());
    }
    headers_.resize(images_.size());
  }

  void run() {
    run_on_threads(resolve_thread_count(options_.thread_count), [this](int) {
      for (std::size_t at = next_++; at < images_.size() && !failed_; at = next_++) read_header(at);
    });
    // Of several failures, report the first in order, whichever thread found one first.
    if (failed_) report_first_failure();
  }

  /// The common shape of the images of a list.
  SampleShape common_shape(std::size_t list) const {
    const std::size_t begin = list == 0 ? 0 : ends_[list - 1];
    const std::size_t count = ends_[list] - begin;
    const KeptHeader* first = nullptr;
    bool all_gray = true;
    for (const KeptHeader& header : std::span(headers_).subspan(begin, count)) {
      if (!header.is_known()) continue;
      if (first == nullptr) first = &header;
      if (!options_.size && (header.width() != first->width() || header.height() != first->height())) {
        refuse_sizes(*first, header);
      }
      all_gray = all_gray && header.channels() == 1;
    }
    if (first == nullptr) {
      throw FormatError("read the images: none of the " + std::to_string(count) + " can be read; the first is " +
                        name_of(begin) + ": " + problem_of(begin));
    }
    return {all_gray ? 1 : 3, first->height(), first->width()};
  }

  /// The number of bands that all images have.
  std::int64_t common_bands() const {
    const KeptHeader* first = nullptr;
    for (const KeptHeader& header : headers_) {
      if (!header.is_known()) continue;
      if (first == nullptr) first = &header;
      if (bands_of(header) != bands_of(*first)) refuse_bands(*first, header);
    }
    return first == nullptr ? 0 : bands_of(*first);
  }

  /// Throws if the options ask for something that images with bands do not have; `bands` is their number.
  void check_options(std::int64_t bands) const {
    const KeptHeader& first = *std::ranges::find_if(headers_, &KeptHeader::is_known);
    const std::string problem = "read the images: " + name_of(first) + " has " + std::to_string(bands) + " bands, and ";
    if (options_.channels) {
      throw DataError(problem + "only gray and RGB are converted to other channels; omit `channels`");
    }
    if (options_.size && options_.fit == Fit::pad && !images::is_gray(options_.background)) {
      throw DataError(problem + "margins in a color need RGB; choose a gray `background`, or another `fit`");
    }
  }

  /// The headers of all lists.
  std::vector<ListHeaders> headers_of(std::span<const ImageList> lists) const {
    std::vector<ListHeaders> all;
    auto begin = headers_.begin();
    for (const ImageList& list : lists) {
      ListHeaders& headers = all.emplace_back();
      for (const SplitImages& images : list.splits) {
        const auto end = begin + std::ssize(images.paths);
        headers.emplace_back(begin, end);
        begin = end;
      }
    }
    return all;
  }

  void describe_deep(ImageSurvey& survey) const {
    survey.image_count = std::ssize(images_);
    const KeptHeader* first = nullptr;  // of all images
    const KeptHeader* first_deep = nullptr;
    const KeptHeader* first_other = nullptr;
    for (const KeptHeader& header : headers_) {
      if (!header.is_known()) continue;
      if (first == nullptr) first = &header;
      const bool is_like_first = header.element() == first->element() && header.white() == first->white();
      if (first_other == nullptr && !is_like_first) first_other = &header;
      if (!header.is_deep()) continue;
      ++survey.deep_count;
      if (first_deep == nullptr) first_deep = &header;
      survey.white = std::max(survey.white, header.white());
      if (header.white() == 0.0 && survey.first_without_white.empty()) survey.first_without_white = name_of(header);
    }
    if (first_deep == nullptr) return;
    survey.element = first_deep->element();
    survey.first_deep = name_of(*first_deep);
    survey.are_all_equal = first_other == nullptr;
    if (first_other != nullptr) survey.first_other = name_of(first_deep == first_other ? *first : *first_other);
  }

 private:
  /// 0: gray or RGB.
  std::int64_t bands_of(const KeptHeader& header) const {
    const bool counts_as_rgb = header.channels() == 3 && options_.channels == 3;
    return header.has_bands() && !counts_as_rgb ? header.channels() : 0;
  }

  std::string name_of(const KeptHeader& header) const {
    return name_of(static_cast<std::size_t>(&header - headers_.data()));
  }
  std::string name_of(std::size_t at) const { return images_[at].first->name(images_[at].second); }

  images::ImageHeader probe(std::size_t at) const {
    const auto& [list, number] = images_[at];
    const images::Limits limits = {options_.largest_image_pixels};
    return aligned_header(probe_image(*list->tree, list->paths[number], limits), *list, number, limits);
  }

  void read_header(std::size_t at) {
    try {
      headers_[at] = KeptHeader(probe(at));
    } catch (const Error&) {
      if (!options_.skip_unreadable) failed_ = true;
    }
  }

  void report_first_failure() const {
    for (std::size_t at = 0; at < images_.size(); ++at) {
      if (headers_[at].is_known()) continue;
      try {
        probe(at);
      } catch (const Error&) {
        rethrow_naming(name_of(at));
      }
    }
  }

  std::string problem_of(std::size_t at) const {
    try {
      probe(at);
      return "it could not be read a moment ago";
    } catch (const Error& error) {
      return error.what();
    }
  }

  [[noreturn]] void refuse_bands(const KeptHeader& a, const KeptHeader& b) const {
    const auto text = [&](const KeptHeader& header) {
      const std::string kind = bands_of(header) > 0     ? "has " + std::to_string(bands_of(header)) + " bands"
                               : header.channels() == 1 ? "is gray"
                                                        : "is RGB";
      return name_of(header) + " " + kind;
    };
    throw DataError("read the images: " + text(a) + ", " + text(b) + "; pack images with the same bands");
  }

  [[noreturn]] void refuse_sizes(const KeptHeader& a, const KeptHeader& b) const {
    const auto text = [&](const KeptHeader& header) {
      return name_of(header) + " has height " + std::to_string(header.height()) + " and width " +
             std::to_string(header.width());
    };
    throw DataError("read the images: " + text(a) + ", " + text(b) +
                    "; resize all to one height and width with `size`");
  }

  const SourceOptions& options_;
  std::vector<std::pair<const SplitImages*, std::size_t>> images_;
  std::vector<std::size_t> ends_;  ///< for each list, the end of its images
  std::vector<KeptHeader> headers_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
};

}  // namespace

void rethrow_naming(const std::string& name) {
  try {
    throw;
  } catch (const FormatError& error) {
    const std::string reason = error.what();
    const bool has_remedy = reason.find("; ") != std::string::npos;
    throw FormatError("read the image " + name + ": " + reason + (has_remedy ? "" : "; repair or remove it") +
                      ", or skip such images with `on_error=skip`");
  }
}

images::ImageHeader probe_image(const files::FileTree& tree, const std::string& path, const images::Limits& limits) {
  if (const auto file = tree.disk_path(path)) return images::probe(*file, limits);
  const std::string file = tree.read_whole(path, kLargestImageFileBytes);
  return images::checked_header(std::as_bytes(std::span(file)), limits);
}

images::ImageHeader aligned_header(const images::ImageHeader& header, const SplitImages& list, std::size_t at,
                                   const images::Limits& limits) {
  if (header.orientation == 1 || list.masks.empty()) return header;
  images::ImageHeader mask;
  try {
    mask = probe_image(*list.tree, list.masks[at], limits);
  } catch (const Error&) {  // reading the mask reports it
    return header;
  }
  return images::aligned_with_mask(header, mask);
}

ImageSurvey survey_images(std::span<const ImageList> lists, const SourceOptions& options) {
  Survey survey(lists, options);
  survey.run();
  ImageSurvey result;
  survey.describe_deep(result);
  result.headers = survey.headers_of(lists);
  result.band_count = survey.common_bands();
  if (result.band_count > 0) survey.check_options(result.band_count);
  for (std::size_t list = 0; list < lists.size(); ++list) {
    SampleShape shape = survey.common_shape(list);
    if (!images::is_gray(options.background)) shape.channels = 3;
    if (options.channels) shape.channels = *options.channels;
    if (result.band_count > 0) shape.channels = result.band_count;
    if (options.size) shape.height = (*options.size)[0], shape.width = (*options.size)[1];
    result.shapes.push_back(shape);
  }
  return result;
}

}  // namespace octavo::sources
