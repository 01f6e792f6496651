// The range of the values of images with more than 8 bits.
#pragma once

#include <cstdint>
#include <vector>

#include <octavo/pack.hpp>
#include <octavo/statistics.hpp>

#include "sources/lists/decoding/image_survey.hpp"
#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// How values of more than 8 bits become bytes.
struct ImageRange {
  /// [C] of the samples; empty if no image has more than 8 bits. If not `is_common`, the range of the largest white.
  std::vector<ChannelQuantization> quantization;
  /// All images have this quantization. Otherwise each image with more than 8 bits is scaled so that its white is 255,
  /// like images of 8 bits.
  bool is_common = false;
};

/// A list, with what the survey found in it.
struct SurveyedList {
  const ImageList* images;
  const ListHeaders* headers;
};

/// The range of `lists`, whose samples have `channels`, and which are all or some of those surveyed. Decodes all their
/// images if it must be measured. If some of the surveyed images have 8 bits, or another type, there is no common
/// range: throws InvalidArgument, naming two images, if options.range needs one. Throws FormatError naming an image
/// that cannot be read, unless options.skip_unreadable.
ImageRange find_image_range(const std::vector<SurveyedList>& lists, std::int64_t channels, const ImageSurvey& survey,
                            const SourceOptions& options);

}  // namespace octavo::sources
