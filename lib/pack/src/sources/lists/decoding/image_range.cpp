#include "sources/lists/decoding/image_range.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <utility>

#include <octavo/errors.hpp>

#include "arrays/value_range.hpp"
#include "images/image_codec.hpp"
#include "images/image_reader.hpp"
#include "sources/lists/decoding/memory_budget.hpp"
#include "support/threads.hpp"

namespace octavo::sources {
namespace {

using Visitor = std::function<void(const arrays::NumberBlock&)>;

struct SurveyedImage {
  const SplitImages* list;
  std::size_t at;
  images::KeptHeader header;
};

/// The values of one image, [height, width, channels]; empty if they are bytes.
std::vector<double> numbers_of(const SurveyedImage& surveyed, std::int64_t channels, const images::Limits& limits,
                               MemoryBudget& memory) {
  const std::string file = surveyed.list->tree->read_whole(surveyed.list->paths[surveyed.at], kLargestImageFileBytes);
  const auto bytes = std::as_bytes(std::span(file));
  const images::ImageHeader header =
      surveyed.header.is_of(std::ssize(file)) ? surveyed.header.header() : images::checked_header(bytes, limits);
  if (!header.is_deep()) return {};
  constexpr std::int64_t kBytesAValue = sizeof(float) + sizeof(double);
  const std::int64_t value_count = header.width * header.height * std::max<std::int64_t>(header.channels, 3);
  const MemoryBudget::Share share(memory, value_count * kBytesAValue);
  const images::DeepPixels image = header.codec->decode_deep(bytes, header);
  // The values of a gray image count in each channel of the samples.
  const std::int64_t copies = image.channels == 1 ? channels : 1;
  std::vector<double> numbers;
  numbers.reserve(image.values.size() * static_cast<std::size_t>(copies));
  for (const float value : image.values) numbers.insert(numbers.end(), static_cast<std::size_t>(copies), value);
  return numbers;
}

void read_all(const std::vector<SurveyedList>& lists, std::int64_t channels, const SourceOptions& options,
              const Visitor& visit) {
  std::vector<SurveyedImage> images;
  for (const auto& [list, headers] : lists) {
    for (std::size_t split = 0; split < list->splits.size(); ++split) {
      const SplitImages& part = list->splits[split];
      for (std::size_t i = 0; i < part.paths.size(); ++i) images.push_back({&part, i, (*headers)[split][i]});
    }
  }
  MemoryBudget memory(kMostDecodedBytes);
  std::atomic<std::size_t> next = 0;
  run_on_threads(resolve_thread_count(options.thread_count), [&](int) {
    for (std::size_t at; (at = next.fetch_add(1)) < images.size();) {
      const SurveyedImage& image = images[at];
      try {
        const auto numbers = numbers_of(image, channels, {options.largest_image_pixels}, memory);
        if (!numbers.empty()) visit({numbers, std::ssize(numbers), 1});
      } catch (const Error&) {
        if (!options.skip_unreadable) rethrow_naming(image.list->name(image.at));
      }
    }
  });
}

void check_range_applies(const ImageSurvey& survey, const SourceOptions& options) {
  const bool is_automatic = options.range.kind == ValueRange::Kind::automatic;
  if (survey.deep_count == 0 && !is_automatic) {
    throw DataError(
        "choose the range of values: all images have at most 8 bits, and are packed as they are; omit `range`");
  }
  if (survey.deep_count == 0 || survey.are_all_equal) return;
  if (!survey.first_without_white.empty()) {
    throw DataError("read the images: " + survey.first_without_white +
                    " holds signed or float values, others do not; convert all images to one type");
  }
  if (!is_automatic) {
    throw DataError("choose the range of values: " + survey.first_deep + " holds " + name_of(survey.element) +
                    " values, " + survey.first_other +
                    " has another type; convert all images to one type, or omit `range`");
  }
}

}  // namespace

ImageRange find_image_range(const std::vector<SurveyedList>& lists, std::int64_t channels, const ImageSurvey& survey,
                            const SourceOptions& options) {
  check_range_applies(survey, options);
  if (survey.deep_count == 0) return {};
  if (!survey.are_all_equal) {
    return {std::vector<ChannelQuantization>(static_cast<std::size_t>(channels), {survey.white / 255.0, 0.0}), false};
  }
  const arrays::NumberSource numbers = {
      .name = "the images, such as " + survey.first_deep,
      .element = survey.element,
      .channels = channels,
      .keeps_colors = survey.band_count == 0,
      .read_all = [&](const Visitor& visit) { read_all(lists, channels, options, visit); }};
  return {arrays::find_quantization(numbers, options.range), true};
}

}  // namespace octavo::sources
