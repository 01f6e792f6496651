// Stands in for tiff_decoder.cpp in a build without libtiff 4.5 or newer.
#include <octavo/errors.hpp>

#include "images/tiff_decoder.hpp"

namespace octavo::images {

Pixels decode_tiff(std::span<const std::byte>, const ImageHeader&, const DecodeOptions&) {
  throw Unavailable("it is a TIFF file, and this build has no libtiff 4.5; install libtiff-dev and build again");
}

}  // namespace octavo::images
