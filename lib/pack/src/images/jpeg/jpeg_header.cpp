#include "images/jpeg/jpeg_header.hpp"

#include <string>
#include <string_view>

#include <octavo/errors.hpp>

#include "images/exif_orientation.hpp"
#include "images/image_codec.hpp"
#include "images/jpeg/jpeg_decoder.hpp"
#include "images/xmp_orientation.hpp"

namespace octavo::images {
namespace {

// Markers, ITU T.81 table B.1.
constexpr int kStartOfImage = 0xD8, kEndOfImage = 0xD9, kStartOfScan = 0xDA, kApp1 = 0xE1, kTemporary = 0x01;

bool is_start_of_frame(int marker) {
  // C4, C8 and CC are tables or reserved.
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

bool stands_alone(int marker) { return marker == kTemporary || (marker >= 0xD0 && marker <= kStartOfImage); }

/// Reads bytes sequentially; every call reports whether there were enough.
class JpegWalker {
 public:
  explicit JpegWalker(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// The next marker; -1 if the bytes end before it.
  int next_marker() {
    for (; at_ + 1 < bytes_.size(); ++at_) {
      const int code = byte(at_ + 1);
      if (byte(at_) != 0xFF || code == 0 || code == 0xFF) continue;
      at_ += 2;
      return code;
    }
    return -1;
  }

  /// The segment after a marker, without its length; nullopt if the bytes end before it does.
  std::optional<std::span<const std::byte>> next_segment() {
    if (bytes_.size() - at_ < 2) return std::nullopt;
    const std::size_t length = static_cast<std::size_t>(byte(at_) << 8 | byte(at_ + 1));
    if (length < 2) throw FormatError("a JPEG segment has a length below 2");
    if (bytes_.size() - at_ < length) return std::nullopt;
    const auto segment = bytes_.subspan(at_ + 2, length - 2);
    at_ += length;
    return segment;
  }

 private:
  int byte(std::size_t at) const { return std::to_integer<int>(bytes_[at]); }
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

/// Precision, height, width, number of components: the first six bytes of a frame header.
ImageHeader read_frame(std::span<const std::byte> segment) {
  if (segment.size() < 6) throw FormatError("its JPEG frame header is cut short");
  const auto byte = [&](std::size_t at) { return std::to_integer<std::int64_t>(segment[at]); };
  if (byte(0) != 8) {
    throw FormatError("it has " + std::to_string(byte(0)) + " bits per sample, only 8-bit JPEG files can be read");
  }
  ImageHeader header;
  header.height = byte(1) << 8 | byte(2);
  header.width = byte(3) << 8 | byte(4);
  header.channels = byte(5) == 1 ? 1 : 3;
  header.raw_bytes = header.height * header.width;
  return header;
}

/// Collects the orientation from the metadata segments.
class OrientationSearch {
 public:
  void look_at(std::span<const std::byte> segment) {
    if (has_exif_mark(segment)) {
      if (!had_exif_) exif_ = exif_orientation(segment);
      had_exif_ = true;
    } else if (is_xmp(segment)) {
      xmp_ = xmp_orientation(segment.subspan(kXmpMark.size()));
    }
  }

  int orientation() const { return exif_.value_or(xmp_.value_or(1)); }

 private:
  // XMP specification, part 3, 1.1.3: the marker before an XMP packet.
  static constexpr std::string_view kXmpMark{"http://ns.adobe.com/xap/1.0/\0", 29};

  static bool is_xmp(std::span<const std::byte> segment) {
    return std::string_view(reinterpret_cast<const char*>(segment.data()), segment.size()).starts_with(kXmpMark);
  }

  bool had_exif_ = false;
  std::optional<int> exif_, xmp_;
};

}  // namespace

std::optional<ImageHeader> parse_jpeg_header(std::span<const std::byte> bytes) {
  JpegWalker walker(bytes);
  OrientationSearch search;
  for (;;) {
    const int marker = walker.next_marker();
    if (marker < 0) return std::nullopt;
    if (stands_alone(marker)) continue;
    if (marker == kStartOfScan || marker == kEndOfImage) throw FormatError("it has no JPEG frame header");
    const auto segment = walker.next_segment();
    if (!segment) return std::nullopt;
    if (marker == kApp1) search.look_at(*segment);
    if (!is_start_of_frame(marker)) continue;
    ImageHeader header = read_frame(*segment);
    header.orientation = search.orientation();
    if (header.orientation >= 5) std::swap(header.width, header.height);
    return header;
  }
}

const ImageCodec kJpegCodec = {
    .name = "JPEG",
    .extensions = {".jpg", ".jpeg", ".jpe", ".jfif"},
    .matches = &begins_with<kJpegMagic>,
    .header_in_start = &parse_jpeg_header,
    .decode = &decode_jpeg,
    .can_reduce = true,
};

}  // namespace octavo::images
