#include "images/exif_orientation.hpp"

#include <libexif/exif-data.h>

#include <memory>

namespace octavo::images {
namespace {

struct ReleaseExif {
  void operator()(ExifData* data) const { exif_data_unref(data); }
};

}  // namespace

int exif_orientation(std::span<const std::byte> block) {
  const std::unique_ptr<ExifData, ReleaseExif> data(exif_data_new_from_data(
      reinterpret_cast<const unsigned char*>(block.data()), static_cast<unsigned int>(block.size())));
  if (!data) return 1;
  const ExifEntry* const entry = exif_content_get_entry(data->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
  if (entry == nullptr || entry->format != EXIF_FORMAT_SHORT || entry->components < 1 || entry->size < 2) return 1;
  const int orientation = exif_get_short(entry->data, exif_data_get_byte_order(data.get()));
  return orientation >= 1 && orientation <= 8 ? orientation : 1;
}

}  // namespace octavo::images
