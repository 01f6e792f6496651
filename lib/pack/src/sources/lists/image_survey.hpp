// Reading the headers of all images to determine the shape of their samples.
#pragma once

#include <octavo/pack.hpp>

#include "images/image_header.hpp"
#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// Larger files are not read as images.
inline constexpr std::int64_t kLargestImageFileBytes = std::int64_t{1} << 30;

/// Reads and checks the header of an image; on disk, reads only as much of the file as needed. Throws FormatError with
/// the reason only; IoError if the file cannot be read.
images::ImageHeader probe_image(const files::FileTree& tree, const std::string& path, const images::Limits& limits);

/// The shape of all samples. Size: options.size, else the common size of all images. Channels: options.channels, else 1
/// if all images and the background are gray, else 3. Reads headers on all threads, and only if they are needed.
/// Throws FormatError or IoError naming the first image that cannot be read; with options.skip_unreadable, only if none
/// can be read. Throws InvalidArgument naming two images whose sizes differ.
SampleShape survey_images(const ImageList& contents, const SourceOptions& options);

}  // namespace octavo::sources
