// The header of an image in few bytes, to be kept for each of a million images.
#pragma once

#include <cstdint>

#include "arrays/element.hpp"
#include "images/image_header.hpp"
#include "images/oddities.hpp"

namespace octavo::images {

/// A header that check_claim() has passed, without what only the check needs: the size of the stored pixels and the
/// compression ratio.
class KeptHeader {
 public:
  /// No header.
  KeptHeader() = default;
  explicit KeptHeader(const ImageHeader& header);

  bool is_known() const { return width_ != 0; }
  /// Whether the header is known, and is that of a file of this many bytes: not of one that was replaced since then.
  bool is_of(std::int64_t file_bytes) const {
    return is_known() && file_bytes_ == static_cast<std::uint32_t>(file_bytes);
  }

  // Of a known header:
  ImageHeader header() const;
  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }
  std::int64_t channels() const { return channels_; }
  bool has_bands() const { return (form_ & kBands) != 0; }
  arrays::Element element() const { return static_cast<arrays::Element>(form_ >> kElementShift); }
  bool is_deep() const { return element() != arrays::Element::uint8; }
  double white() const { return white_; }

 private:
  // Of form_: the orientation minus 1 in the lowest bits, then these.
  static constexpr std::uint8_t kOrientations = 7, kBands = 8;
  static constexpr int kElementShift = 4;

  std::uint32_t file_bytes_ = 0;  ///< the lower half
  std::uint16_t width_ = 0, height_ = 0;
  std::uint16_t channels_ = 0;
  std::uint16_t white_ = 0;  ///< always an integer
  Oddities oddities_;
  std::uint8_t codec_ = 0;  ///< its place in kImageCodecs
  std::uint8_t form_ = 0;
};

static_assert(sizeof(KeptHeader) == 16);

}  // namespace octavo::images
