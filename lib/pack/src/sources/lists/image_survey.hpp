// Looking at the headers of all images of a folder, to find the shape that their samples have.
#pragma once

#include <octavo/pack.hpp>

#include "images/image_header.hpp"
#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// A file of more bytes is no image that is read.
inline constexpr std::int64_t kLargestImageFileBytes = std::int64_t{1} << 30;

/// Reads and checks the header of an image, on disk from no more of the file than is needed. Throws FormatError with
/// the reason only, IoError if it cannot be read.
images::ImageHeader probe_image(const files::FileTree& tree, const std::string& path, const images::Limits& limits);

/// The shape of all samples: the wanted size, else the one that all images have; the wanted channels, else 1 if all
/// images and the background are gray, else 3. Headers are read on all threads, and only if they are needed.
/// Throws FormatError or IoError naming the first image that cannot be read, unless options.skip_unreadable (then at
/// least one must be readable); InvalidArgument naming two images whose sizes differ.
SampleShape survey_images(const ImageList& contents, const SourceOptions& options);

}  // namespace octavo::sources
