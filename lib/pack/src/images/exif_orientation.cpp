#include "images/exif_orientation.hpp"

#include <libexif/exif-data.h>

#include <cstring>
#include <memory>
#include <vector>

namespace octavo::images {
namespace {

struct ReleaseExif {
  void operator()(ExifData* data) const { exif_data_unref(data); }
};

/// libexif finds a block by its marker.
std::vector<std::byte> with_mark(std::span<const std::byte> block) {
  std::vector<std::byte> marked(kExifMark.size());
  std::memcpy(marked.data(), kExifMark.data(), kExifMark.size());
  marked.insert(marked.end(), block.begin(), block.end());
  return marked;
}

}  // namespace

bool has_exif_mark(std::span<const std::byte> bytes) {
  return bytes.size() >= kExifMark.size() && std::memcmp(bytes.data(), kExifMark.data(), kExifMark.size()) == 0;
}

std::optional<int> exif_orientation(std::span<const std::byte> block) {
  if (!has_exif_mark(block)) return exif_orientation(with_mark(block));
  const std::unique_ptr<ExifData, ReleaseExif> data(exif_data_new_from_data(
      reinterpret_cast<const unsigned char*>(block.data()), static_cast<unsigned int>(block.size())));
  if (!data) return std::nullopt;
  const ExifEntry* const entry = exif_content_get_entry(data->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
  // libexif converts other integers to this type.
  if (entry == nullptr || entry->format != EXIF_FORMAT_SHORT || entry->components < 1 || entry->size < 2) {
    return std::nullopt;
  }
  const int orientation = exif_get_short(entry->data, exif_data_get_byte_order(data.get()));
  return orientation >= 1 && orientation <= 8 ? orientation : 1;
}

}  // namespace octavo::images
