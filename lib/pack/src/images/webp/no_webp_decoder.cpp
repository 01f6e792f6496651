// Stands in for webp_decoder.cpp in a build without libwebp.
#include <octavo/errors.hpp>

#include "images/webp/webp_decoder.hpp"

namespace octavo::images {

Pixels decode_webp(std::span<const std::byte>, const ImageHeader&, const DecodeOptions&) {
  throw Unavailable("it is a WebP file, and this build has no libwebp; install libwebp-dev and build again");
}

}  // namespace octavo::images
