// The formats of image files. A new format is its own file, which defines a codec, and two lines here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "images/file_bytes.hpp"
#include "images/image_header.hpp"
#include "images/pixels.hpp"

namespace octavo::images {

struct DecodeOptions {
  std::array<std::uint8_t, 3> background = {0, 0, 0};  ///< shown behind transparent pixels
  int reduction = 1;  ///< 1, or 2, 4 or 8 if the codec can reduce: divides width and height, rounded up
};

/// A format of image files. All functions throw FormatError with the reason only.
struct ImageCodec {
  std::string_view name;                         ///< "JPEG"
  std::array<std::string_view, 5> extensions{};  ///< in lower case: ".jpg"; the rest is empty
  /// Whether a file that begins with `start` has this format: at least 16 bytes, or the whole file.
  bool (*matches)(std::span<const std::byte> start) = nullptr;
  // One of the next two is set. The first is for headers at the start of the file; nullopt if `start` ends before the
  // header does. The second is for headers that are scattered over the file.
  std::optional<ImageHeader> (*header_in_start)(std::span<const std::byte> start) = nullptr;
  ImageHeader (*header_in_file)(const FileBytes& file) = nullptr;
  /// The pixels as stored, before applying the orientation. Throws FormatError if they do not have the size of
  /// `header`, Unavailable if this build lacks the library.
  Pixels (*decode)(std::span<const std::byte> file, const ImageHeader& header, const DecodeOptions& options) = nullptr;
  bool can_reduce = false;
  /// The same for images whose header is_deep(); null if the format has none.
  DeepPixels (*decode_deep)(std::span<const std::byte> file, const ImageHeader& header) = nullptr;
};

/// For ImageCodec::matches: whether the start of a file is `kMagic`.
template <const auto& kMagic>
bool begins_with(std::span<const std::byte> start) {
  return start.size() >= kMagic.size() &&
         std::equal(kMagic.begin(), kMagic.end(), start.begin(),
                    [](std::uint8_t a, std::byte b) { return a == std::to_integer<std::uint8_t>(b); });
}

extern const ImageCodec kJpegCodec;  // jpeg/jpeg_header.cpp
extern const ImageCodec kPngCodec;   // png/png_header.cpp
extern const ImageCodec kWebpCodec;  // webp/webp_header.cpp
extern const ImageCodec kTiffCodec;  // tiff/tiff_header.cpp
extern const ImageCodec kGifCodec;   // gif/gif_header.cpp
extern const ImageCodec kBmpCodec;   // bmp/bmp_header.cpp
extern const ImageCodec kPnmCodec;   // pnm/pnm_header.cpp

/// In the order in which a file is tried, and in which messages name the formats.
inline constexpr std::array kImageCodecs = {&kJpegCodec, &kPngCodec, &kWebpCodec, &kTiffCodec,
                                            &kGifCodec,  &kBmpCodec, &kPnmCodec};

/// The format of a file that begins with `start`. Throws FormatError, with the reason only, if there is none.
const ImageCodec& codec_of(std::span<const std::byte> start);

/// Whether a file name has an extension of an image format, in upper or lower case. This includes formats that are not
/// read (other_formats.hpp), so that such images are refused by name and not left out.
bool has_image_name(const std::string& name);

/// "JPEG, PNG, ... or PNM", for messages.
std::string image_format_names();

}  // namespace octavo::images
