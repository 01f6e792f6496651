// The headers and the palette of a BMP file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "images/image_header.hpp"
#include "images/palette.hpp"

namespace octavo::images {

inline constexpr std::array<std::uint8_t, 2> kBmpMagic = {'B', 'M'};

/// How the pixels of a BMP file are stored. Values are part of the format.
enum class BmpCoding : std::uint32_t { plain = 0, run_length_8 = 1, run_length_4 = 2, bit_fields = 3 };

/// The checked content of a BMP file's headers.
struct BmpLayout {
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool is_top_down = false;  ///< otherwise the last row comes first
  int bits = 0;              ///< per pixel: 1, 4, 8, 16, 24 or 32
  BmpCoding coding = BmpCoding::plain;
  std::array<std::uint32_t, 4> masks = {};  ///< of R, G, B, alpha, for 16 to 32 bits; 0: no such channel
  Palette palette;                          ///< for at most 8 bits
  std::size_t pixels_at = 0;                ///< file offset of the pixels

  /// Rows are padded to four bytes.
  std::int64_t row_bytes() const { return (width * bits + 31) / 32 * 4; }
};

/// Reads the headers in `bytes`, the start of a file; nullopt if they end before the palette does. Throws FormatError
/// with the reason only.
std::optional<BmpLayout> read_bmp_layout(std::span<const std::byte> bytes);

/// Size and color of the BMP file that begins with `bytes`: a palette of grays makes a gray image. Returns nullopt if
/// they end before the palette does. Throws FormatError with the reason only.
std::optional<ImageHeader> parse_bmp_header(std::span<const std::byte> bytes);

}  // namespace octavo::images
