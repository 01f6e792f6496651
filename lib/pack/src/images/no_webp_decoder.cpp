// Stands in for webp_decoder.cpp in a build without libwebp.
#include <octavo/errors.hpp>

#include "images/webp_decoder.hpp"

namespace octavo::images {

Pixels decode_webp(std::span<const std::byte>, const ImageHeader&, const std::array<std::uint8_t, 3>&) {
  throw Unavailable("it is a WebP file, and this build has no libwebp; install libwebp-dev and build again");
}

}  // namespace octavo::images
