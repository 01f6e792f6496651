// Stands in for tiff_decoder.cpp in a build without libtiff 4.5 or newer.
#include <octavo/errors.hpp>

#include "images/tiff/tiff_decoder.hpp"

namespace octavo::images {
namespace {

[[noreturn]] void refuse_tiff() {
  throw Unavailable("it is a TIFF file, and this build has no libtiff 4.5; install libtiff-dev and build again");
}

}  // namespace

Pixels decode_tiff(std::span<const std::byte>, const ImageHeader&, const DecodeOptions&) { refuse_tiff(); }

DeepPixels decode_deep_tiff(std::span<const std::byte>, const ImageHeader&) { refuse_tiff(); }

}  // namespace octavo::images
