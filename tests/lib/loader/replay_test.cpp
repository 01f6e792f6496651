#include <octavo/replay.hpp>

#include <octavo/batch_maker.hpp>
#include <octavo/errors.hpp>

#include "catch.hpp"
#include "devices.hpp"
#include "packed_fixture.hpp"
#include "support/hash.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// The bytes that a fingerprint hashes.
class Bytes {
 public:
  Bytes& integer(std::int64_t number) { return add(&number, sizeof number); }
  Bytes& real(double number) { return add(&number, sizeof number); }
  Bytes& text(const std::string& text) { return add(text.data(), text.size()); }
  std::string fingerprint() const { return to_hex(hash_bytes(bytes_)); }

 private:
  Bytes& add(const void* data, std::size_t count) {
    const auto* const bytes = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + count);
    return *this;
  }
  std::vector<std::byte> bytes_;
};

/// Batches of 2 of 3 samples, in file order.
LoaderOptions in_pairs() { return {.batch_size = 2}; }

LoaderOptions augmented_options() {
  LoaderOptions options{.batch_size = 8, .shuffle = Shuffle::windows(30), .seed = 5};
  options.spec.augment = {augment::RandomResizedCrop{.size = {5, 6}}, augment::ColorJitter{}, augment::TrivialAugment{},
                          augment::HorizontalFlip{}};
  options.spec.augment_seed = 9;
  return options;
}

void fingerprints_agree(Device device) {
  const PackedFixture fixture({masked_split("train", 101, {3, 7, 7})});
  const Split split = fixture.dataset().split("train");
  LoaderOptions options = augmented_options();
  const BatchMaker reference(Store::load(split, Device::cpu(), {.residency = Residency::device}), options);
  for (const LoadOptions& load :
       {LoadOptions{.residency = Residency::device}, LoadOptions{.residency = Residency::hybrid, .resident_count = 33},
        LoadOptions{.residency = Residency::streamed},
        LoadOptions{.residency = Residency::window, .window_samples = 30}}) {
    const Store store = Store::load(split, device, load);
    for (std::int64_t rank = 0; rank < 3; ++rank) {
      options.rank = rank;
      options.world_size = 3;
      const BatchMaker maker(store, options);
      REQUIRE(maker.fingerprint(4) == reference.fingerprint(4));
      REQUIRE(maker.fingerprint(4, true) == reference.fingerprint(4, true));
    }
  }
}

}  // namespace

OCTAVO_CONTRACT(fingerprints_agree, "a fingerprint does not depend on residency or rank",
                "[unit][loader][many-batches]")

TEST_CASE("the fingerprint of an epoch is that of its definition", "[unit][loader]") {
  const PackedFixture fixture({random_split("train", 3, {1, 4, 5})});
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  REQUIRE(
      BatchMaker(store, in_pairs()).fingerprint(0) ==
      Bytes().integer(2).integer(0).integer(0).integer(1).integer(0).integer(1).integer(2).integer(0).fingerprint());
  LoaderOptions options = in_pairs();
  options.drop_last = true;
  // The center of 4 x 5 pixels; an inversion that never happens is no step.
  options.spec.augment = {augment::CenterCrop{.size = {2, 3}}, augment::Invert{.probability = 0.0}};
  Bytes bytes;
  bytes.integer(2);
  for (const std::int64_t index : {0, 1}) bytes.integer(index).integer(1).text("crop").real(1).real(1);
  REQUIRE(BatchMaker(store, options).fingerprint(0) == bytes.fingerprint());
}

TEST_CASE("a fingerprint changes with everything that changes the batches", "[unit][loader]") {
  const PackedFixture fixture({random_split("train", 40, {3, 8, 8})});
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  LoaderOptions options = augmented_options();
  const std::string first = BatchMaker(store, options).fingerprint(0);
  REQUIRE(first.size() == 16);
  REQUIRE(BatchMaker(store, options).fingerprint(1) != first);
  const auto differs = [&](const auto& change) {
    LoaderOptions changed = options;
    change(changed);
    return BatchMaker(store, changed).fingerprint(0) != first;
  };
  REQUIRE(differs([](LoaderOptions& changed) { changed.seed = 6; }));
  REQUIRE(differs([](LoaderOptions& changed) { changed.batch_size = 9; }));
  REQUIRE(differs([](LoaderOptions& changed) { changed.spec.augment_seed = 10; }));
  REQUIRE(differs([](LoaderOptions& changed) { changed.spec.views = 2; }));
  REQUIRE(differs([](LoaderOptions& changed) { changed.spec.augment.pop_back(); }));
  REQUIRE(differs([](LoaderOptions& changed) {
    changed.spec.mix = augment::Mix{.mixup_alpha = 0.2};
    changed.spec.soft_classes = 10;
  }));
  // Only the values differ.
  REQUIRE_FALSE(differs([](LoaderOptions& changed) { changed.spec.center = Center::none; }));
  options.spec.center = Center::none;
  REQUIRE(BatchMaker(store, options).fingerprint(0, true) !=
          BatchMaker(store, augmented_options()).fingerprint(0, true));
}

TEST_CASE("the draws of a batch name samples, steps and partners", "[unit][loader]") {
  const PackedFixture fixture({random_split("train", 6, {3, 8, 8})});
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  LoaderOptions options{.batch_size = 3};
  options.spec.augment = {augment::VerticalFlip{.probability = 1.0}, augment::RandomCrop{.padding = 2},
                          augment::ColorJitter{.brightness = {0.5, 1.5}}};
  options.spec.mix = augment::Mix{.cutmix_alpha = 1.0};
  options.spec.soft_classes = 10;
  const std::vector<DrawnSample> drawn = BatchMaker(store, options).drawn(2, 1);
  REQUIRE(drawn.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(drawn[i].index == static_cast<std::int64_t>(3 + i));
    REQUIRE(drawn[i].views.size() == 1);
    const std::vector<DrawnStep>& steps = drawn[i].views[0];
    REQUIRE(steps[0].name == "flip_y");
    REQUIRE(steps[1].name == "crop");
    REQUIRE(steps[1].values[0].first == "top");
    REQUIRE(std::abs(steps[1].values[0].second) <= 2.0);
    REQUIRE(drawn[i].mix.has_value());
    REQUIRE(drawn[i].mix->name == "cutmix");
    REQUIRE(drawn[i].mix->partner == static_cast<std::int64_t>(i == 0 ? 5 : 2 + i));
    REQUIRE(std::abs(drawn[i].mix->own + drawn[i].mix->other - 1.0) < 1e-6);
  }
  REQUIRE_THROWS_WITH(BatchMaker(store, options).drawn(0, 2), ContainsSubstring("no such batch"));
}
