#include "images/image_codec.hpp"

#include <algorithm>
#include <filesystem>

#include <octavo/errors.hpp>

#include "images/bmp_decoder.hpp"
#include "images/bmp_header.hpp"
#include "images/gif_decoder.hpp"
#include "images/gif_header.hpp"
#include "images/jpeg_decoder.hpp"
#include "images/jpeg_header.hpp"
#include "images/png_decoder.hpp"
#include "images/png_header.hpp"
#include "images/pnm_decoder.hpp"
#include "images/pnm_header.hpp"
#include "images/tiff_decoder.hpp"
#include "images/tiff_header.hpp"
#include "images/webp_decoder.hpp"
#include "images/webp_header.hpp"
#include "support/ascii.hpp"

namespace octavo::images {
namespace {

/// Whether the start of a file is `kMagic`.
template <const auto& kMagic>
bool begins_with(std::span<const std::byte> start) {
  return start.size() >= kMagic.size() &&
         std::equal(kMagic.begin(), kMagic.end(), start.begin(),
                    [](std::uint8_t a, std::byte b) { return a == std::to_integer<std::uint8_t>(b); });
}

constexpr std::array<ImageCodec, 7> kCodecs = {{
    {.name = "JPEG",
     .extensions = {".jpg", ".jpeg"},
     .matches = &begins_with<kJpegMagic>,
     .header_in_start = &parse_jpeg_header,
     .decode = &decode_jpeg,
     .can_reduce = true},
    {.name = "PNG",
     .extensions = {".png"},
     .matches = &begins_with<kPngMagic>,
     .header_in_start = &parse_png_header,
     .decode = &decode_png},
    {.name = "WebP",
     .extensions = {".webp"},
     .matches = &is_webp,
     .header_in_file = &parse_webp_header,
     .decode = &decode_webp},
    {.name = "TIFF",
     .extensions = {".tif", ".tiff"},
     .matches = &is_tiff,
     .header_in_file = &parse_tiff_header,
     .decode = &decode_tiff},
    {.name = "GIF",
     .extensions = {".gif"},
     .matches = &begins_with<kGifMagic>,
     .header_in_start = &parse_gif_header,
     .decode = &decode_gif},
    {.name = "BMP",
     .extensions = {".bmp"},
     .matches = &begins_with<kBmpMagic>,
     .header_in_start = &parse_bmp_header,
     .decode = &decode_bmp},
    {.name = "PNM",
     .extensions = {".pbm", ".pgm", ".ppm", ".pnm", ".pam"},
     .matches = &is_pnm,
     .header_in_start = &parse_pnm_header,
     .decode = &decode_pnm},
}};

}  // namespace

std::span<const ImageCodec> image_codecs() { return kCodecs; }

const ImageCodec& codec_of(std::span<const std::byte> start) {
  for (const ImageCodec& codec : kCodecs) {
    if (codec.matches(start)) return codec;
  }
  if (start.empty()) throw FormatError("it is empty");
  throw FormatError("it is not a " + image_format_names() + " file");
}

bool has_image_name(const std::string& name) {
  const std::string extension = lower_case(std::filesystem::path(name).extension().string());
  return !extension.empty() && std::ranges::any_of(kCodecs, [&](const ImageCodec& codec) {
    return std::ranges::find(codec.extensions, extension) != codec.extensions.end();
  });
}

std::string image_format_names() {
  std::string names(kCodecs[0].name);
  for (std::size_t i = 1; i < kCodecs.size(); ++i) {
    names += (i + 1 == kCodecs.size() ? " or " : ", ") + std::string(kCodecs[i].name);
  }
  return names;
}

}  // namespace octavo::images
