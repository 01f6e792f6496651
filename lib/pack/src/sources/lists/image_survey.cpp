#include "sources/lists/image_survey.hpp"

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

/// The contents of one header; width 0 if it could not be read.
struct Look {
  std::int32_t width = 0, height = 0;
  std::int32_t channels = 0;
  std::int32_t bands = 0;  ///< 0: gray or RGB
  arrays::Element element = arrays::Element::uint8;
  float white = 0.0f;

  bool is_deep() const { return element != arrays::Element::uint8; }
};

class Survey {
 public:
  Survey(std::span<const ImageList> lists, const SourceOptions& options) : options_(options) {
    for (const ImageList& list : lists) {
      for (const SplitImages& images : list.splits) {
        for (std::size_t i = 0; i < images.paths.size(); ++i) images_.push_back({&images, i});
      }
      ends_.push_back(images_.size());
    }
    looks_.resize(images_.size());
  }

  void run() {
    run_on_threads(resolve_thread_count(options_.thread_count), [this](int) {
      for (std::size_t at = next_++; at < images_.size() && !failed_; at = next_++) look_at(at);
    });
    // Of several failures, report the first in order, whichever thread found one first.
    if (failed_) report_first_failure();
  }

  /// The common shape of the images of a list.
  SampleShape common_shape(std::size_t list) const {
    const std::size_t begin = list == 0 ? 0 : ends_[list - 1];
    const std::size_t count = ends_[list] - begin;
    const Look* first = nullptr;
    bool all_gray = true;
    for (const Look& look : std::span(looks_).subspan(begin, count)) {
      if (look.width == 0) continue;
      if (first == nullptr) first = &look;
      if (!options_.size && (look.width != first->width || look.height != first->height)) refuse_sizes(*first, look);
      all_gray = all_gray && look.channels == 1;
    }
    if (first == nullptr) {
      throw FormatError("read the images: none of the " + std::to_string(count) + " can be read; the first is " +
                        name_of(begin) + ": " + problem_of(begin));
    }
    return {all_gray ? 1 : 3, first->height, first->width};
  }

  /// The number of bands that all images have.
  std::int64_t common_bands() const {
    const Look* first = nullptr;
    for (const Look& look : looks_) {
      if (look.width == 0) continue;
      if (first == nullptr) first = &look;
      if (look.bands != first->bands) refuse_bands(*first, look);
    }
    return first == nullptr ? 0 : first->bands;
  }

  /// Throws if the options ask for something that images with bands do not have; `bands` is their number.
  void check_options(std::int64_t bands) const {
    const Look& first = *std::ranges::find_if(looks_, [](const Look& look) { return look.width != 0; });
    const std::string problem = "read the images: " + name_of(first) + " has " + std::to_string(bands) + " bands, and ";
    if (options_.channels) {
      throw DataError(problem + "only gray and RGB are converted to other channels; omit `channels`");
    }
    if (options_.size && options_.fit == Fit::pad && !images::is_gray(options_.background)) {
      throw DataError(problem + "margins in a color need RGB; choose a gray `background`, or another `fit`");
    }
  }

  void describe_deep(ImageSurvey& survey) const {
    survey.image_count = std::ssize(images_);
    const Look* first = nullptr;  // of all images
    const Look* first_deep = nullptr;
    const Look* first_other = nullptr;
    for (const Look& look : looks_) {
      if (look.width == 0) continue;
      if (first == nullptr) first = &look;
      if (first_other == nullptr && (look.element != first->element || look.white != first->white)) first_other = &look;
      if (!look.is_deep()) continue;
      ++survey.deep_count;
      if (first_deep == nullptr) first_deep = &look;
      survey.white = std::max(survey.white, static_cast<double>(look.white));
      if (look.white == 0.0f && survey.first_without_white.empty()) survey.first_without_white = name_of(look);
    }
    if (first_deep == nullptr) return;
    survey.element = first_deep->element;
    survey.first_deep = name_of(*first_deep);
    survey.are_all_equal = first_other == nullptr;
    if (first_other != nullptr) survey.first_other = name_of(first_deep == first_other ? *first : *first_other);
  }

 private:
  std::string name_of(const Look& look) const { return name_of(static_cast<std::size_t>(&look - looks_.data())); }
  std::string name_of(std::size_t at) const { return images_[at].first->name(images_[at].second); }

  images::ImageHeader probe(std::size_t at) const {
    const auto& [list, number] = images_[at];
    const images::Limits limits = {options_.largest_image_pixels};
    return aligned_header(probe_image(*list->tree, list->paths[number], limits), *list, number, limits);
  }

  void look_at(std::size_t at) {
    try {
      const auto header = probe(at);
      const auto channels = static_cast<std::int32_t>(header.channels);
      const bool counts_as_rgb = channels == 3 && options_.channels == 3;
      looks_[at] = {static_cast<std::int32_t>(header.width),
                    static_cast<std::int32_t>(header.height),
                    channels,
                    header.has_bands && !counts_as_rgb ? channels : 0,
                    header.element,
                    static_cast<float>(header.white)};
    } catch (const Error&) {
      if (!options_.skip_unreadable) failed_ = true;
    }
  }

  void report_first_failure() const {
    for (std::size_t at = 0; at < images_.size(); ++at) {
      if (looks_[at].width != 0) continue;
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

  [[noreturn]] void refuse_bands(const Look& a, const Look& b) const {
    const auto text = [&](const Look& look) {
      const std::string kind = look.bands > 0       ? "has " + std::to_string(look.bands) + " bands"
                               : look.channels == 1 ? "is gray"
                                                    : "is RGB";
      return name_of(look) + " " + kind;
    };
    throw DataError("read the images: " + text(a) + ", " + text(b) + "; pack images with the same bands");
  }

  [[noreturn]] void refuse_sizes(const Look& a, const Look& b) const {
    const auto text = [&](const Look& look) {
      return name_of(look) + " has height " + std::to_string(look.height) + " and width " + std::to_string(look.width);
    };
    throw DataError("read the images: " + text(a) + ", " + text(b) +
                    "; resize all to one height and width with `size`");
  }

  const SourceOptions& options_;
  std::vector<std::pair<const SplitImages*, std::size_t>> images_;
  std::vector<std::size_t> ends_;  ///< for each list, the end of its images
  std::vector<Look> looks_;
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
