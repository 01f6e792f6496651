#include "images/geometry/geometry.hpp"

#include "catch.hpp"
#include "images/geometry/resize.hpp"
#include "images/image_reader.hpp"

using namespace octavo;
using images::Box;
using images::place;
using Values = std::vector<std::uint8_t>;

TEST_CASE("crop uses the largest centered region with the target's aspect ratio", "[unit][image]") {
  CHECK(place(300, 200, 96, 96, Fit::crop).from == Box{50, 0, 200, 200});
  CHECK(place(200, 301, 96, 96, Fit::crop).from == Box{0, 50, 200, 200});
  CHECK(place(96, 96, 96, 96, Fit::crop).from == Box{0, 0, 96, 96});
  // 3:2 of 100 x 101: 100 * 2/3 = 66.7, so 67 rows; the margin of 34 is halved.
  CHECK(place(100, 101, 30, 20, Fit::crop).from == Box{0, 17, 100, 67});
  // 1:2 of 5 x 5: 2.5, so 3 columns.
  CHECK(place(5, 5, 1, 2, Fit::crop).from == Box{1, 0, 3, 5});
  CHECK(place(1, 5000, 64, 1, Fit::crop).from == Box{0, 2499, 1, 1});
  CHECK(place(5, 5, 1, 2, Fit::crop).to == Box{0, 0, 1, 2});
}

TEST_CASE("pad centers the whole image", "[unit][image]") {
  CHECK(place(300, 200, 96, 96, Fit::pad).from == Box{0, 0, 300, 200});
  CHECK(place(300, 200, 96, 96, Fit::pad).to == Box{0, 16, 96, 64});
  CHECK(place(5000, 1, 96, 96, Fit::pad).to == Box{0, 47, 96, 1});
}

TEST_CASE("stretch fills the whole target with the whole image", "[unit][image]") {
  CHECK(place(300, 200, 96, 90, Fit::stretch).from == Box{0, 0, 300, 200});
  CHECK(place(300, 200, 96, 90, Fit::stretch).to == Box{0, 0, 96, 90});
}

TEST_CASE("halving averages with triangle weights", "[unit][image]") {
  images::Pixels image(4, 1, 1);
  image.values = {0, 80, 160, 240};
  Values out(2);
  // The centers are 1 and 3, the support is 2. The weights are 3/4, 3/4, 1/4, and nothing past the edge:
  // (3*0 + 3*80 + 160) / 7 = 57.1, (80 + 3*160 + 3*240) / 7 = 182.9.
  images::resize(image, 1, {0, 0, 4, 1}, 2, 1, {out.data(), 2, 2});
  CHECK(out == Values{57, 183});
  images::resize(image, 1, {1, 0, 2, 1}, 2, 1, {out.data(), 2, 2});
  CHECK(out == Values{80, 160});
}

TEST_CASE("a padded gray image fills all planes with a colored background around it", "[unit][image]") {
  images::Pixels image(1, 2, 1);
  image.values = {7, 9};
  const images::Target target = {{3, 2, 3}, true, Fit::pad, {1, 2, 3}};
  Values values(18);
  images::fill_sample(image, target, values);
  CHECK(values == Values{1, 7, 1, 1, 9, 1, 2, 7, 2, 2, 9, 2, 3, 7, 3, 3, 9, 3});
}

TEST_CASE("an RGB image becomes planes or gray", "[unit][image]") {
  images::Pixels image(2, 1, 3);
  image.values = {1, 2, 3, 0, 255, 0};
  Values planes(6), gray(2);
  images::fill_sample(image, {{3, 1, 2}, true, Fit::crop, {0, 0, 0}}, planes);
  CHECK(planes == Values{1, 0, 2, 255, 3, 0});
  images::fill_sample(image, {{1, 1, 2}, true, Fit::crop, {0, 0, 0}}, gray);
  // 19595 + 2*38470 + 3*7471 + 32768 = 151716; / 65536 = 2.3
  CHECK(gray == Values{2, 150});
}
