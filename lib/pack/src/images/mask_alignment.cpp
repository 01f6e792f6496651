#include "images/mask_alignment.hpp"

#include <string>

#include <octavo/errors.hpp>

namespace octavo::images {

ImageHeader aligned_with_mask(const ImageHeader& image, const ImageHeader& mask) {
  if (image.orientation == 1 || mask.orientation != 1) return image;
  const bool fits_stored = mask.width == image.stored_width() && mask.height == image.stored_height();
  if (!fits_stored) return image;
  if (mask.width == image.width && mask.height == image.height) {
    throw FormatError("it has the EXIF orientation " + std::to_string(image.orientation) +
                      ", and its mask fits it turned and not turned; turn the pixels of both upright, or remove the "
                      "orientation, before packing (`mogrify -auto-orient` turns an image and removes it)");
  }
  ImageHeader stored = image;
  stored.width = mask.width;
  stored.height = mask.height;
  stored.orientation = 1;
  stored.oddities.add(Oddity::kept_as_stored);
  return stored;
}

}  // namespace octavo::images
