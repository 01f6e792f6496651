// Stands in for gif_decoder.cpp in a build without giflib.
#include <octavo/errors.hpp>

#include "images/gif/gif_decoder.hpp"

namespace octavo::images {

Pixels decode_gif(std::span<const std::byte>, const ImageHeader&, const DecodeOptions&) {
  throw Unavailable("it is a GIF file, and this build has no giflib; install libgif-dev and build again");
}

}  // namespace octavo::images
