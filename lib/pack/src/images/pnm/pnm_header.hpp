// The header of a PNM file: PBM, PGM and PPM (P1 to P6), and PAM (P7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "images/image_header.hpp"

namespace octavo::images {

/// The checked content of a PNM file's header.
struct PnmLayout {
  bool is_bitmap = false;  ///< P1, P4: 1 is black
  bool is_plain = false;   ///< P1, P2, P3: values are decimal numbers
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t stored_channels = 0;  ///< 1 or 3; in PAM 1 to kMostBands
  bool has_alpha = false;            ///< in the last channel of 2 or 4
  bool has_bands = false;            ///< the channels are neither gray nor RGB, with or without alpha
  int largest = 1;                   ///< the value of full brightness, at most 65535
  std::size_t pixels_at = 0;         ///< file offset of the pixels, or of a comment before them

  /// Channels without alpha.
  std::int64_t colors() const { return stored_channels - (has_alpha ? 1 : 0); }

  /// Bytes of a row, if the values are binary.
  std::int64_t row_bytes() const {
    return is_bitmap ? (width + 7) / 8 : width * stored_channels * (largest > 255 ? 2 : 1);
  }
};

/// Where the pixels of a raw file begin. netpbm's formats define one whitespace character after the header, and a
/// comment before it. Files with a comment after it are read as well, if exactly the pixels follow the comment.
struct PnmPixels {
  std::size_t at = 0;
  bool follow_comment = false;  ///< which is not where the format allows one
};
PnmPixels find_pnm_pixels(std::span<const std::byte> file, const PnmLayout& layout);

/// Whether a file that begins with `bytes` is a PNM file.
bool is_pnm(std::span<const std::byte> bytes);

/// Reads the header in `bytes`, the start of a file; nullopt if they end before it does. Throws FormatError with the
/// reason only, also if the header (with its comments) has more than 64 KiB.
std::optional<PnmLayout> read_pnm_layout(std::span<const std::byte> bytes);

/// Size and color of the PNM file that begins with `bytes`; nullopt if they end before its header does. Throws
/// FormatError with the reason only.
std::optional<ImageHeader> parse_pnm_header(std::span<const std::byte> bytes);

}  // namespace octavo::images
