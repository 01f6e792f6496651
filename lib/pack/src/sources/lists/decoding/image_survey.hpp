// Reading the headers of all images to determine the shape of their samples.
#pragma once

#include <span>
#include <vector>

#include <octavo/pack.hpp>

#include "arrays/element.hpp"
#include "images/image_header.hpp"
#include "images/kept_header.hpp"
#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// Larger files are not read as images.
inline constexpr std::int64_t kLargestImageFileBytes = std::int64_t{1} << 30;

/// Reads and checks the header of an image; on disk, reads only as much of the file as needed. Throws FormatError with
/// the reason only; IoError if the file cannot be read.
images::ImageHeader probe_image(const files::FileTree& tree, const std::string& path, const images::Limits& limits);

/// The header of the image `at` of `list`, if it has no masks; else what images::aligned_with_mask() makes of it. A
/// mask that cannot be read is ignored. Throws as aligned_with_mask() does.
images::ImageHeader aligned_header(const images::ImageHeader& header, const SplitImages& list, std::size_t at,
                                   const images::Limits& limits);

/// The total decoded values that all threads may hold; larger images are decoded one at a time.
inline constexpr std::int64_t kMostDecodedBytes = std::int64_t{256} << 20;

/// The headers of the images of a list, [split][image], as aligned_header() returns them; not known for those that
/// could not be read.
using ListHeaders = std::vector<std::vector<images::KeptHeader>>;

/// What the headers of all images say.
struct ImageSurvey {
  std::vector<SampleShape> shapes;   ///< of the samples of each list
  std::vector<ListHeaders> headers;  ///< of each list
  std::int64_t band_count = 0;       ///< of all images; 0: they are gray or RGB
  std::int64_t image_count = 0;

  // The images with more than 8 bits:
  std::int64_t deep_count = 0;
  arrays::Element element = arrays::Element::uint8;  ///< of the first; uint8 if there are none
  double white = 0.0;                                ///< the largest of all
  bool are_all_equal = false;                        ///< all images have this type and full brightness
  std::string first_deep = {}, first_other = {};  ///< two images that differ in type, quoted; empty if there are none
  std::string first_without_white = {};           ///< one whose values have no defined range, quoted
};

/// Throws FormatError with the name of the image if the current exception is a FormatError, else throws that again.
[[noreturn]] void rethrow_naming(const std::string& name);

/// Reads the headers of all images on all threads. Size of the samples of a list: options.size, else the common size of
/// its images. Channels: of images with bands, their number; else options.channels, else 1 if the images of the list
/// and the background are gray, else 3. With options.channels of 3, three bands count as RGB. Throws FormatError or
/// IoError naming the first image that cannot be read; with options.skip_unreadable, only if none of a list can be
/// read. Throws InvalidArgument naming two images of a list whose sizes differ, or two of all lists that differ in
/// their bands; also if images have bands and options ask for other channels, or for margins in a color.
ImageSurvey survey_images(std::span<const ImageList> lists, const SourceOptions& options);

}  // namespace octavo::sources
