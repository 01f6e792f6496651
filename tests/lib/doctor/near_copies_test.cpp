#include "doctor/copies/near_copies.hpp"

#include <octavo/doctor.hpp>

#include <numeric>

#include "catch.hpp"
#include "doctor/copies/copy_residual.hpp"
#include "scenes.hpp"

using namespace octavo;
using namespace octavo::doctor;
using namespace octavo::test;

namespace {

constexpr SampleShape kSceneShape = {1, 32, 32};

NearCopies near_copies_of(const std::vector<PlainSplit>& splits, int thread_count = 0) {
  const PackedFixture file(splits);
  const SampleSet samples(file.dataset());
  Descriptors descriptors(samples);
  SampleVisitor* const visitor = &descriptors;
  visit_samples(samples, {&visitor, 1}, thread_count, "looking at", {});
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(samples.sample_count()));
  std::iota(numbers.begin(), numbers.end(), 0);
  return find_near_copies(samples, descriptors, numbers, thread_count, {});
}

/// 300 scenes, and in `test` 100 other scenes and copies of the first training scenes, 20 in each of six ways.
std::vector<PlainSplit> splits_with_copies() {
  PlainSplit train = split_of_scenes("train", 300, kSceneShape, 1000);
  PlainSplit test = split_of_scenes("test", 100, kSceneShape, 5000);
  for (unsigned i = 0; i < 120; ++i) {
    const Pixels original = scene(1000 + i, kSceneShape);
    switch (i / 20) {
      case 0:
        add_sample(test, resized_copy(original, kSceneShape));
        break;
      case 1:
        add_sample(test, jpeg_copy(original, kSceneShape, 75));
        break;
      case 2:
        add_sample(test, jpeg_copy(original, kSceneShape, 50));
        break;
      case 3:
        add_sample(test, mirrored_copy(original, kSceneShape, false, true));
        break;
      case 4:
        add_sample(test, jpeg_copy(mirrored_copy(original, kSceneShape, true, true), kSceneShape, 75));
        break;
      default: {
        Pixels brighter = original;
        for (std::uint8_t& value : brighter) value = static_cast<std::uint8_t>(std::min(255, value * 9 / 10 + 20));
        add_sample(test, brighter);
      }
    }
  }
  return {train, test};
}

}  // namespace

TEST_CASE("all planted copies are found and nothing else", "[unit][doctor]") {
  const NearCopies near = near_copies_of(splits_with_copies());
  REQUIRE(near.pairs.size() == 120);
  for (std::int64_t i = 0; i < 120; ++i) {
    const NearPair& pair = near.pairs[static_cast<std::size_t>(i)];
    CHECK(pair.first == i);
    CHECK(pair.second == 400 + i);
    const Turn expected = i / 20 == 3 ? Turn::left_right : i / 20 == 4 ? Turn::half_turn : Turn::none;
    CHECK(pair.turn == expected);
  }
  CHECK(near.sample_count == 520);
  CHECK(near.cut_count == 0);
}

TEST_CASE("near copies do not depend on the number of threads", "[unit][doctor]") {
  const auto splits = splits_with_copies();
  const NearCopies one = near_copies_of(splits, 1), four = near_copies_of(splits, 4);
  CHECK(one.pairs == four.pairs);
  CHECK(one.compared_count == four.compared_count);
  CHECK(one.verified_count == four.verified_count);
}

TEST_CASE("images that share gray values but not colors are not copies", "[unit][doctor]") {
  // The channels of a scene in another order.
  const SampleShape shape = {3, 32, 32};
  PlainSplit train = split_of_scenes("train", 40, shape, 1);
  PlainSplit test{"test", shape, {}, {}, 1};
  Pixels red = scene(1, shape);
  for (std::size_t p = 0; p < 1024; ++p) {
    red[p] = static_cast<std::uint8_t>(std::min(255, red[p] + 60));
    red[1024 + p] = static_cast<std::uint8_t>(std::max(0, red[1024 + p] - 60));
  }
  add_sample(test, red);
  CHECK(near_copies_of({train, test}).pairs.empty());
  test.values.clear();
  test.labels.clear();
  add_sample(test, resized_copy(scene(1, shape), shape));
  CHECK(near_copies_of({train, test}).pairs.size() == 1);
}

TEST_CASE("copies are found between splits of different sizes and channels", "[unit][doctor]") {
  const SampleShape large = {3, 48, 48};
  PlainSplit train = split_of_scenes("train", 40, large, 1);
  PlainSplit test{"test", {1, 24, 24}, {}, {}, 1};
  Pixels gray = scene(7, large);
  gray.resize(48 * 48);
  Pixels small(24 * 24);
  resize_image(gray, {1, 48, 48}, {24, 24}, Fit::stretch, {}, small);
  add_sample(test, small);
  const NearCopies near = near_copies_of({train, test});
  REQUIRE(near.pairs.size() == 1);
  CHECK(near.pairs[0].first == 6);
  CHECK(near.pairs[0].second == 40);
}

TEST_CASE("a symmetric image is not a mirrored copy of images like it", "[unit][doctor]") {
  // Discs in the middle, of different sizes: each is its own mirror image.
  PlainSplit train{"train", kSceneShape, {}, {}, 1};
  for (int i = 0; i < 60; ++i) {
    Pixels disc;
    for (int p = 0; p < 1024; ++p) {
      const double radius = std::hypot(p / 32 - 15.5, p % 32 - 15.5);
      disc.push_back(radius < 4 + 0.15 * i ? 200 : 20);
    }
    add_sample(train, disc);
  }
  for (const NearPair& pair : near_copies_of({train}).pairs) CHECK(pair.turn == Turn::none);
}

TEST_CASE("the work grows much less than the number of pairs", "[unit][doctor][plain-only]") {
  const SampleShape shape = {1, 8, 8};
  const NearCopies small = near_copies_of({split_of_scenes("train", 1000, shape, 1)});
  const NearCopies large = near_copies_of({split_of_scenes("train", 4000, shape, 1)});
  // Four times as many samples are 16 times as many pairs.
  CHECK(large.compared_count < 10 * small.compared_count);
  CHECK(large.cut_count == 0);
}

TEST_CASE("the work for many similar images is bounded", "[unit][doctor][plain-only]") {
  // Frames of one scene, with a little noise: all are near-identical.
  PlainSplit train{"train", {1, 12, 12}, {}, {}, 1};
  std::mt19937 random(9);
  const Pixels original = scene(3, train.shape);
  for (std::int64_t i = 0; i < 4400; ++i) {
    Pixels noisy = original;
    for (std::uint8_t& value : noisy) {
      value = static_cast<std::uint8_t>(std::clamp(value + static_cast<int>(random() % 3) - 1, 0, 255));
    }
    add_sample(train, noisy);
  }
  const NearCopies near = near_copies_of({train});
  CHECK(near.cut_count > 0);
  CHECK(near.pairs.size() > 4300);
  CHECK(near.verified_count <= 3 * 4400);  // three candidates of each sample in its split
  CHECK(near.compared_count <= 4 * 4400 * (4096 + 32));
}

TEST_CASE("a copy leaves nothing and an unrelated image leaves almost everything", "[unit][doctor]") {
  const ReducedGrid grid;
  ImageReducer reducer(kSceneShape, grid);
  CopyResidual residual(grid);
  const Pixels pixels = scene(1, kSceneShape);
  const ReducedImage image = reducer.reduce(pixels);
  CHECK(residual.between(image, Turn::none, image) < 1e-3);
  CHECK(residual.between(image, Turn::none, reducer.reduce(resized_copy(pixels, kSceneShape))) < 0.05);
  CHECK(residual.between(image, Turn::left_right, reducer.reduce(mirrored_copy(pixels, kSceneShape, false, true))) <
        1e-3);
  CHECK(residual.between(image, Turn::none, reducer.reduce(scene(2, kSceneShape))) > 0.5);
  Pixels negative = pixels;
  for (std::uint8_t& value : negative) value = static_cast<std::uint8_t>(255 - value);
  CHECK(residual.between(image, Turn::none, reducer.reduce(negative)) == CopyResidual::kNoCopy);
}
