#include "doctor/truncation.hpp"

#include "catch.hpp"
#include "scenes.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

constexpr SampleShape kPhotoShape = {3, 64, 48};

/// A scene whose last `rows` rows have one value.
bool looks_truncated_below(std::int64_t rows, std::uint8_t fill, std::uint8_t first_row = 10) {
  Pixels pixels = scene(5, kPhotoShape);
  for (std::int64_t c = 0; c < kPhotoShape.channels; ++c) {
    const auto plane = pixels.begin() + c * kPhotoShape.values_per_channel();
    std::fill(plane, plane + kPhotoShape.width, first_row);
    std::fill(plane + (kPhotoShape.height - rows) * kPhotoShape.width, plane + kPhotoShape.values_per_channel(), fill);
  }
  return doctor::looks_truncated(pixels, kPhotoShape);
}

}  // namespace

TEST_CASE("gray below other content looks truncated", "[unit][doctor]") {
  CHECK(looks_truncated_below(20, 128));
  CHECK(looks_truncated_below(2, 127));
  CHECK(looks_truncated_below(40, 129));
}

TEST_CASE("what whole images have does not look truncated", "[unit][doctor]") {
  CHECK_FALSE(looks_truncated_below(0, 128));
  CHECK_FALSE(looks_truncated_below(1, 128));   // one row may be chance
  CHECK_FALSE(looks_truncated_below(20, 0));    // black bottoms of letterboxes and Fashion-MNIST
  CHECK_FALSE(looks_truncated_below(20, 255));  // studio backgrounds
  CHECK_FALSE(looks_truncated_below(20, 126));  // another gray
  CHECK_FALSE(looks_truncated_below(20, 130));
  CHECK_FALSE(looks_truncated_below(20, 128, 128));                                   // a border, above too
  CHECK_FALSE(doctor::looks_truncated(Pixels(64, 128), {1, 8, 8}));                   // blank
  CHECK_FALSE(doctor::looks_truncated(Pixels{1, 2, 128, 128, 128, 128}, {1, 3, 2}));  // too small to tell
}

TEST_CASE("the fill must be gray in every channel and over the whole row", "[unit][doctor]") {
  Pixels pixels = scene(5, kPhotoShape);
  const auto fill_plane = [&](std::int64_t c) {
    const auto plane = pixels.begin() + c * kPhotoShape.values_per_channel();
    std::fill(plane + 40 * kPhotoShape.width, plane + kPhotoShape.values_per_channel(), 128);
  };
  fill_plane(2);
  fill_plane(1);
  CHECK_FALSE(doctor::looks_truncated(pixels, kPhotoShape));
  fill_plane(0);
  CHECK(doctor::looks_truncated(pixels, kPhotoShape));
  pixels[static_cast<std::size_t>(63 * kPhotoShape.width)] = 129;
  CHECK_FALSE(doctor::looks_truncated(pixels, kPhotoShape));
}
