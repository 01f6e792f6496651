#include "sources/lists/decoding/image_conversion.hpp"

#include <cstdint>
#include <map>
#include <utility>

#include "sources/lists/decoding/image_survey.hpp"

namespace octavo::sources {
namespace {

Color color_of(const SampleShape& shape, const ImageSurvey& survey) {
  if (survey.band_count > 0) return Color::other;
  return shape.channels == 1 ? Color::gray : Color::rgb;
}

}  // namespace

std::vector<ImageConversion> find_conversions(std::span<const ImageList> lists, const SourceOptions& options) {
  ImageSurvey survey = survey_images(lists, options);
  std::map<std::int64_t, std::vector<SurveyedList>> by_channels;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    by_channels[survey.shapes[i].channels].push_back({&lists[i], &survey.headers[i]});
  }
  std::map<std::int64_t, ImageRange> ranges;
  for (const auto& [channels, group] : by_channels) {
    ranges[channels] = find_image_range(group, channels, survey, options);
  }
  std::vector<ImageConversion> conversions;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const SampleShape& shape = survey.shapes[i];
    conversions.push_back(
        {shape, color_of(shape, survey), survey.element, ranges[shape.channels], std::move(survey.headers[i])});
  }
  return conversions;
}

}  // namespace octavo::sources
