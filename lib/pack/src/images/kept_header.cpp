#include "images/kept_header.hpp"

#include <algorithm>
#include <cassert>

#include "images/image_codec.hpp"

namespace octavo::images {

static_assert(kLargestSide <= UINT16_MAX && kMostBands <= UINT16_MAX);

KeptHeader::KeptHeader(const ImageHeader& header)
    : file_bytes_(static_cast<std::uint32_t>(header.file_bytes)),
      width_(static_cast<std::uint16_t>(header.width)),
      height_(static_cast<std::uint16_t>(header.height)),
      channels_(static_cast<std::uint16_t>(header.channels)),
      white_(static_cast<std::uint16_t>(header.white)),
      oddities_(header.oddities),
      codec_(static_cast<std::uint8_t>(std::ranges::find(kImageCodecs, header.codec) - kImageCodecs.begin())),
      form_(static_cast<std::uint8_t>((header.orientation - 1) | (header.has_bands ? kBands : 0) |
                                      static_cast<int>(header.element) << kElementShift)) {
  assert(width() == header.width && height() == header.height && channels() == header.channels);
  assert(white() == header.white && element() == header.element && codec_ < kImageCodecs.size());
}

ImageHeader KeptHeader::header() const {
  ImageHeader header;
  header.codec = kImageCodecs[codec_];
  header.width = width();
  header.height = height();
  header.channels = channels();
  header.has_bands = has_bands();
  header.element = element();
  header.white = white();
  header.orientation = (form_ & kOrientations) + 1;
  header.file_bytes = file_bytes_;
  header.oddities = oddities_;
  return header;
}

}  // namespace octavo::images
