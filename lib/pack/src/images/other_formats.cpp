#include "images/other_formats.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "support/text/ascii.hpp"

namespace octavo::images {
namespace {

struct OtherFormat {
  std::string_view name;        ///< with its article
  std::string_view python_way;  ///< what reads it in Python
};
constexpr OtherFormat kHeif = {"a HEIC (HEIF)", "pillow-heif"};
constexpr OtherFormat kAvif = {"an AVIF", "Pillow 11.3 or newer"};
constexpr OtherFormat kJpegXl = {"a JPEG XL", "pillow-jxl-plugin"};

constexpr std::array<std::string_view, 9> kExtensions = {".heic", ".heif",  ".hif", ".heics", ".heifs",
                                                         ".avif", ".avifs", ".jxl", ".avci"};
// Brands of HEIF files, from ISO/IEC 23008-12. "mif1" and "msf1" may be any of the codecs.
constexpr std::array<std::string_view, 10> kHeifBrands = {"heic", "heix", "hevc", "hevx", "heim",
                                                          "heis", "hevm", "hevs", "mif1", "msf1"};
constexpr std::array<std::string_view, 2> kAvifBrands = {"avif", "avis"};
// A JPEG XL file is a codestream, or a container that begins with this box.
constexpr std::string_view kJpegXlCodestream = "\xFF\x0A";
constexpr std::string_view kJpegXlContainer("\0\0\0\x0CJXL \r\n\x87\n", 12);

/// Whether an ISO base media file names one of the brands. Its first box is a length of 4 bytes, "ftyp", the major
/// brand, a version of 4 bytes, and other brands.
template <std::size_t kCount>
bool has_brand(std::string_view start, const std::array<std::string_view, kCount>& brands) {
  if (start.size() < 12 || start.substr(4, 4) != "ftyp") return false;
  std::size_t box_bytes = 0;
  for (std::size_t i = 0; i < 4; ++i) box_bytes = box_bytes << 8 | static_cast<std::uint8_t>(start[i]);
  const std::size_t end = std::min(box_bytes, start.size());
  for (std::size_t at = 8; at + 4 <= end; at += at == 8 ? 8 : 4) {
    if (std::ranges::find(brands, start.substr(at, 4)) != brands.end()) return true;
  }
  return false;
}

const OtherFormat* other_format_of(std::string_view start) {
  if (has_brand(start, kAvifBrands)) return &kAvif;
  if (has_brand(start, kHeifBrands)) return &kHeif;
  if (start.starts_with(kJpegXlCodestream) || start.starts_with(kJpegXlContainer)) return &kJpegXl;
  return nullptr;
}

}  // namespace

std::optional<std::string> other_format_problem(std::span<const std::byte> start) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  const OtherFormat* const format = other_format_of(text);
  if (format == nullptr) return std::nullopt;
  return "it is " + std::string(format->name) +
         " image, which is not supported; convert such files to PNG, for example with ImageMagick, `mogrify -format "
         "png FILES`, or in Python with " +
         std::string(format->python_way) + ", and remove the originals";
}

bool has_other_image_name(const std::string& name) {
  const std::string extension = lower_case(std::filesystem::path(name).extension().string());
  return std::ranges::find(kExtensions, extension) != kExtensions.end();
}

}  // namespace octavo::images
