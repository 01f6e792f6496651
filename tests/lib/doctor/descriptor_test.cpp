#include "doctor/copies/descriptor.hpp"

#include <set>

#include "catch.hpp"
#include "doctor/copies/descriptor_tree.hpp"
#include "doctor/reach.hpp"
#include "scenes.hpp"

using namespace octavo;
using namespace octavo::doctor;
using namespace octavo::test;

namespace {

constexpr SampleShape kGrayShape = {1, 24, 40};

Descriptor described(const Pixels& pixels, const SampleShape& shape = kGrayShape) {
  const auto descriptor = Describer(shape).describe(pixels);
  REQUIRE(descriptor.has_value());
  return *descriptor;
}

std::vector<DescribedSample> random_descriptors(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<DescribedSample> samples;
  for (std::int64_t number = 0; number < count; ++number) {
    DescribedSample sample{{}, 1.0F, number};
    for (std::int16_t& coefficient : sample.descriptor.coefficients) {
      coefficient = static_cast<std::int16_t>(static_cast<int>(random() % 7328) - 3664);  // length about kUnit
    }
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace

TEST_CASE("a descriptor does not depend on brightness and contrast", "[unit][doctor]") {
  const Pixels pixels = scene(1, kGrayShape);
  Pixels changed = pixels;
  for (std::uint8_t& value : changed) value = static_cast<std::uint8_t>(30 + value / 2);
  CHECK(squared_distance(described(pixels), described(changed)) < 0.01 * 0.01);
  CHECK(squared_distance(described(pixels), described(scene(2, kGrayShape))) > 0.3 * 0.3);
}

TEST_CASE("turning a descriptor is describing the turned image", "[unit][doctor]") {
  const Pixels pixels = scene(1, kGrayShape);
  const auto check = [&](Turn turn, bool flips_y, bool flips_x) {
    const Descriptor expected = described(mirrored_copy(pixels, kGrayShape, flips_y, flips_x));
    CHECK(squared_distance(turned(described(pixels), turn), expected) < 0.001 * 0.001);
  };
  check(Turn::none, false, false);
  check(Turn::left_right, false, true);
  check(Turn::upside_down, true, false);
  check(Turn::half_turn, true, true);
}

TEST_CASE("images without contrast are not described", "[unit][doctor]") {
  CHECK_FALSE(Describer(kGrayShape).describe(Pixels(24 * 40, 77)).has_value());
  // A step of 2 levels is a contrast of 1.
  Pixels step(24 * 40, 77);
  std::fill_n(step.begin(), 12 * 40, std::uint8_t{79});
  CHECK_FALSE(Describer(kGrayShape).describe(step).has_value());
  std::fill_n(step.begin(), 12 * 40, std::uint8_t{87});
  CHECK(Describer(kGrayShape).describe(step).has_value());
}

TEST_CASE("the tree finds what comparing all finds", "[unit][doctor]") {
  const auto samples = random_descriptors(500, 3);
  const DescriptorTree tree(samples);
  for (std::size_t query = 0; query < 20; ++query) {
    const Descriptor& descriptor = samples[query * 25].descriptor;
    std::set<std::int64_t> expected, found;
    for (const DescribedSample& sample : samples) {
      if (squared_distance(descriptor, sample.descriptor) <= 1.0) expected.insert(sample.number);
    }
    tree.search(descriptor, 1.0, [&](const DescribedSample& sample, double) { found.insert(sample.number); });
    CHECK(found == expected);
    CHECK(found.contains(static_cast<std::int64_t>(query * 25)));
  }
}

TEST_CASE("a search among equal descriptors is cut", "[unit][doctor]") {
  std::vector<DescribedSample> samples = random_descriptors(1, 3);
  while (samples.size() < 20000) {
    samples.push_back(samples[0]);
    samples.back().number = std::ssize(samples) - 1;
  }
  const DescriptorTree tree(samples);
  std::int64_t found = 0;
  const auto work = tree.search(samples[0].descriptor, 0.1, [&](const DescribedSample&, double) { ++found; });
  CHECK(work.is_cut);
  CHECK(found == work.compared);
  CHECK(work.compared >= DescriptorTree::kMostCompared);
  CHECK(work.compared < DescriptorTree::kMostCompared + 32);  // a leaf
}

TEST_CASE("the reach is the distance within which 5 % of the references are", "[unit][doctor]") {
  CHECK(reference_numbers(3) == std::vector<std::size_t>{0, 1, 2});
  CHECK(reference_numbers(1000).size() == 256);
  CHECK(reference_numbers(1000).back() == 255 * 1000 / 256);
  std::vector<double> squared;
  for (int i = 256; i > 0; --i) squared.push_back(i * i);
  CHECK(reach_of(squared) == 12.0);  // 256 / 20
  squared.assign({9, 1, 4, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225});
  CHECK(reach_of(squared) == 8.0);  // of few, the eighth
  squared.resize(14);
  CHECK(reach_of(squared) == 0.7);
  squared.assign(100, 0.0);
  CHECK(reach_of(squared) == 0.25);
}
