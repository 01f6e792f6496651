#include "images/kept_header.hpp"

#include "catch.hpp"
#include "images/image_codec.hpp"
#include "images/image_reader.hpp"
#include "made_images.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

void check_is_kept(const images::ImageHeader& header) {
  const images::ImageHeader kept = images::KeptHeader(header).header();
  CHECK(kept.codec == header.codec);
  CHECK(kept.width == header.width);
  CHECK(kept.height == header.height);
  CHECK(kept.channels == header.channels);
  CHECK(kept.has_bands == header.has_bands);
  CHECK(kept.element == header.element);
  CHECK(kept.white == header.white);
  CHECK(kept.orientation == header.orientation);
  for (const images::OddityInfo& one : images::kOddities) {
    CHECK(kept.oddities.has(one.oddity) == header.oddities.has(one.oddity));
  }
}

}  // namespace

TEST_CASE("a kept header says what the header said", "[unit][image]") {
  for (const images::ImageCodec* const codec : images::kImageCodecs) {
    check_is_kept({.codec = codec, .width = 1, .height = 65535, .channels = 1, .oddities = {}});
  }
  for (int orientation = 1; orientation <= 8; ++orientation) {
    check_is_kept({.codec = &images::kJpegCodec,
                   .width = 7,
                   .height = 5,
                   .channels = 3,
                   .orientation = orientation,
                   .oddities = {}});
  }
  images::ImageHeader bands = {.codec = &images::kTiffCodec,
                               .width = 65535,
                               .height = 1,
                               .channels = 4096,
                               .has_bands = true,
                               .element = arrays::Element::uint16,
                               .white = 65535.0,
                               .oddities = {}};
  bands.oddities.add(images::Oddity::more_pages);
  bands.oddities.add(images::Oddity::kept_as_stored);
  check_is_kept(bands);
  bands.element = arrays::Element::float32, bands.white = 0.0;
  check_is_kept(bands);
}

TEST_CASE("a kept header is that of a file of the same size", "[unit][image]") {
  const std::string file = made_png({.width = 2, .rows = {1, 2}});
  const images::KeptHeader kept(images::checked_header(bytes_of(file), {}));
  CHECK(kept.is_known());
  CHECK(kept.is_of(std::ssize(file)));
  CHECK_FALSE(kept.is_of(std::ssize(file) + 1));
  CHECK_FALSE(images::KeptHeader().is_known());
  CHECK_FALSE(images::KeptHeader().is_of(0));
}
