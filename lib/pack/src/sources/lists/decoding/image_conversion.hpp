// How the images of all lists of one packing become samples.
#pragma once

#include <span>
#include <vector>

#include <octavo/pack.hpp>
#include <octavo/sample.hpp>

#include "arrays/element.hpp"
#include "sources/lists/decoding/image_range.hpp"
#include "sources/lists/decoding/image_survey.hpp"
#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// How the images of one list become samples.
struct ImageConversion {
  SampleShape shape;
  Color color = Color::rgb;
  arrays::Element element = arrays::Element::uint8;  ///< of images with more than 8 bits; uint8 if there are none
  ImageRange range;
  ListHeaders headers;  ///< which decide how each image is decoded
};

/// The conversion of each list. Each list has its own shape, but all are quantized in the same way, so that a value
/// means the same in all splits; the ranges of lists with different numbers of channels are found separately. Throws
/// what survey_images() and find_image_range() throw.
std::vector<ImageConversion> find_conversions(std::span<const ImageList> lists, const SourceOptions& options);

}  // namespace octavo::sources
