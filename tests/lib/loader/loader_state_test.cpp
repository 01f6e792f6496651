#include <octavo/batch_maker.hpp>
#include <octavo/errors.hpp>
#include <octavo/loader.hpp>

#include "catch.hpp"
#include "packed_fixture.hpp"

using namespace octavo;

TEST_CASE("a state survives a round trip through JSON", "[unit][loader]") {
  const LoaderState state{.epoch = 3,
                          .step = 17,
                          .samples = 8700,
                          .seed = 18446744073709551615u,
                          .batch_size = 512,
                          .sample_count = 60000,
                          .shuffle = true,
                          .drop_last = true,
                          .carry_over = true,
                          .sampling = "0123456789abcdef",
                          .split = "train",
                          .data = "fedcba9876543210",
                          .normalization = "(x - dataset mean) / 128 [01234567]",
                          .augmentation = "HorizontalFlip(), seed=3 [0123456789abcdef]"};
  REQUIRE(LoaderState::from_json(state.to_json()) == state);
}

TEST_CASE("an invalid state is refused", "[unit][loader]") {
  REQUIRE_THROWS_AS(LoaderState::from_json(""), FormatError);
  REQUIRE_THROWS_AS(LoaderState::from_json("[]"), FormatError);
  REQUIRE_THROWS_WITH(LoaderState::from_json(R"({"order":1})"), ContainsSubstring("it has no \"epoch\""));
  LoaderState newer;
  newer.order_version = 2;
  REQUIRE_THROWS_WITH(LoaderState::from_json(newer.to_json()), ContainsSubstring("order version 2"));
}

TEST_CASE("a field of a state must have the type that was saved", "[unit][loader]") {
  LoaderState saved;
  saved.seed = 5;
  const std::string json = saved.to_json();
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string changed = json;
    const std::size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    return changed.replace(at, from.size(), to);
  };
  REQUIRE(LoaderState::from_json(replaced("\"seed\":5", "\"seed\":18446744073709551615")).seed == ~std::uint64_t{0});
  for (const auto& [from, to] :
       {std::pair("\"seed\":5", "\"seed\":-5"), std::pair("\"seed\":5", "\"seed\":5.0"),
        std::pair("\"seed\":5", "\"seed\":18446744073709551616"), std::pair("\"step\":0", "\"step\":0.5"),
        std::pair("\"step\":0", "\"step\":true"), std::pair("\"step\":0", "\"step\":9223372036854775808"),
        std::pair("\"drop_last\":false", "\"drop_last\":0"), std::pair("\"shuffle\":false", "\"shuffle\":0"),
        std::pair("\"split\":\"\"", "\"split\":7")}) {
    INFO(to);
    REQUIRE_THROWS_WITH(LoaderState::from_json(replaced(from, to)), ContainsSubstring("has the wrong type"));
  }
  REQUIRE_THROWS_WITH(LoaderState::from_json(replaced("\"step\":0", "\"step\":null")),
                      ContainsSubstring("it has no \"step\""));
}

TEST_CASE("the place of a state must exist", "[unit][loader]") {
  LoaderState state;
  state.batch_size = 8;
  state.sample_count = 20;
  state.step = 3;  // after the last batch
  REQUIRE(state.place() == LoaderPlace{0, 20});
  state.epoch = std::int64_t{1} << 62;
  REQUIRE(state.place().epoch == state.epoch);
  ++state.epoch;
  REQUIRE_THROWS_WITH(state.place(), ContainsSubstring("no batch 3"));
  state.epoch = 0;
  state.samples = 21;
  REQUIRE_THROWS_WITH(state.place(), ContainsSubstring("no batch 3"));
}

TEST_CASE("the state of another loader is refused with the difference and changes nothing", "[unit][loader]") {
  using octavo::test::PackedFixture;
  using octavo::test::random_split;
  const PackedFixture fixture({random_split("train", 20, {1, 2, 2}), random_split("test", 20, {1, 2, 2}),
                               random_split("val", 20, {1, 2, 2}, 2)});
  const auto load = [](const PackedFixture& from, const char* split) {
    return Store::load(from.dataset().split(split), Device::cpu());
  };
  const Store store = load(fixture, "train");
  LoaderOptions options{.batch_size = 5, .shuffle = true};
  options.spec.augment = {augment::HorizontalFlip{}};
  Loader loader(store, options);
  const LoaderState own = loader.state();
  const auto refuses = [&](const Store& other, const LoaderOptions& with, const char* difference) {
    INFO(difference);
    REQUIRE_THROWS_WITH(loader.restore(Loader(other, with).state()), ContainsSubstring(difference));
    REQUIRE(loader.state() == own);
  };
  refuses(load(fixture, "test"), options, "from the split \"test\"; this loader serves \"train\"");
  const PackedFixture relabeled({[] {
    auto split = random_split("train", 20, {1, 2, 2});
    split.labels[7] = 8;
    return split;
  }()});
  refuses(load(relabeled, "train"), options, "other samples");
  const auto refuses_with = [&](const auto& change, const char* difference) {
    LoaderOptions with = options;
    change(with);
    refuses(store, with, difference);
  };
  refuses_with([](LoaderOptions& with) { with.seed = 1; }, "seed 1");
  refuses_with([](LoaderOptions& with) { with.shuffle = false; }, "shuffle \"none\"; this one has \"global\"");
  refuses_with([](LoaderOptions& with) { with.drop_last = true; }, "drop_last true");
  refuses_with([](LoaderOptions& with) { with.carry_over = true; }, "carry_over true");
  refuses_with([](LoaderOptions& with) { with.sampling.repeats = 2; }, "chooses other samples; pass the same indices");
  refuses_with([](LoaderOptions& with) { with.sampling.weights = std::vector(20, 1.0); }, "chooses other samples");
  refuses_with([](LoaderOptions& with) { with.spec.divisor_values = {127.0}; },
               "normalization \"(x - dataset mean) / 127");
  refuses_with([&](LoaderOptions& with) { with.spec.statistics = fixture.dataset().split("val").statistics(); },
               "normalization \"(x - dataset mean) / 128");
  refuses_with([](LoaderOptions& with) { with.spec.augment = {}; },
               "augmentation none; this one has \"HorizontalFlip()");
  refuses_with([](LoaderOptions& with) { with.spec.augment_seed = 9; }, "augmentation \"HorizontalFlip(), seed=9 [");
  refuses_with([](LoaderOptions& with) { with.spec.views = 2; }, "views=2");

  // Only the digests are compared, so that a text may be reworded.
  LoaderState reworded = own;
  const std::size_t digest = reworded.augmentation.find('[');
  REQUIRE(digest != std::string::npos);
  reworded.augmentation.replace(0, digest, "mirrors half of the images ");
  loader.restore(reworded);
  ++reworded.augmentation[reworded.augmentation.find('[') + 1];
  REQUIRE_THROWS_WITH(loader.restore(reworded), ContainsSubstring("augmentation \"mirrors half of the images ["));

  const BatchMaker maker(store, options);
  REQUIRE(maker.place_of(own) == own.place());
  REQUIRE_THROWS_WITH(maker.place_of(reworded), ContainsSubstring("augmentation \"mirrors half of the images ["));

  LoaderState beyond = own;
  beyond.step = 5;
  REQUIRE_THROWS_WITH(maker.place_of(beyond), ContainsSubstring("no batch 5"));
  REQUIRE_THROWS_WITH(loader.restore(beyond), ContainsSubstring("no batch 5"));
  REQUIRE(loader.state() == own);
}

TEST_CASE("the type, layout, ranks and residency of a restored loader may differ", "[unit][loader]") {
  const octavo::test::PackedFixture fixture({octavo::test::random_split("train", 20, {3, 2, 2})});
  const Split split = fixture.dataset().split("train");
  for (const Center center : {Center::channel, Center::pixel}) {
    LoaderOptions options{.batch_size = 5, .shuffle = true};
    options.spec.center = center;
    LoaderState state = Loader(Store::load(split, Device::cpu()), options).state();
    state.epoch = 2;
    state.step = 3;
    options.spec.dtype = DType::float16;
    options.spec.layout = Layout::nhwc;
    options.rank = 1;
    options.world_size = 2;
    Loader loader(Store::load(split, Device::cpu(), {.residency = Residency::streamed}), options);
    loader.restore(state);
    REQUIRE(loader.state() == state);
  }
}

TEST_CASE("a state with another batch size continues at its sample", "[unit][loader]") {
  const std::int64_t batch_size = GENERATE(8, 6, 3, 1, 11);
  const octavo::test::PackedFixture fixture({octavo::test::random_split("train", 47, {1, 2, 2})});
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  for (const bool carry_over : {false, true}) {
    for (const bool drop_last : {false, true}) {
      if (carry_over && drop_last) continue;
      LoaderOptions options{
          .batch_size = 10, .shuffle = true, .seed = 4, .drop_last = drop_last, .carry_over = carry_over};
      const BatchMaker whole(store, [&] {
        LoaderOptions single = options;
        single.batch_size = 1;
        return single;
      }());
      for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
        const BatchMaker before(store, options);
        for (std::int64_t step = 0; step <= before.batches_per_epoch(epoch); ++step) {
          const LoaderState state = LoaderState::from_json(before.state(epoch, step).to_json());
          LoaderOptions after = options;
          after.batch_size = batch_size;
          after.origin = state.place();
          Loader loader(store, after);
          const BatchMaker maker(store, after);
          loader.restore(state);
          const LoaderState first = maker.state_at(state.place()).value();
          const bool is_over = first.step == maker.batches_per_epoch(first.epoch);
          REQUIRE(loader.state() == (is_over ? maker.state(first.epoch + 1, 0) : first));
          // The samples that the first loader would serve, in the same order, in batches of another size.
          std::vector<std::int64_t> rows;
          for (std::int64_t e = first.epoch; e < epoch + 2; ++e) {
            for (std::int64_t s = e == first.epoch ? first.step : 0; s < maker.batches_per_epoch(e); ++s) {
              const std::vector<std::int64_t> batch = maker.indices(e, s);
              const bool may_be_short = !carry_over && !drop_last && s + 1 == maker.batches_per_epoch(e);
              REQUIRE((std::ssize(batch) == batch_size || may_be_short));
              rows.insert(rows.end(), batch.begin(), batch.end());
            }
          }
          std::vector<std::int64_t> expected;
          LoaderPlace place = state.place();
          if (place.samples < 0) place = {epoch - 1, 47 + place.samples};
          for (; place.epoch < epoch + 2; place = {place.epoch + 1, 0}) {
            std::int64_t end = 47;
            if (drop_last) end = place.samples + (47 - place.samples) / batch_size * batch_size;
            for (std::int64_t i = place.samples; i < end; ++i) expected.push_back(whole.indices(place.epoch, i)[0]);
          }
          expected.resize(std::min(expected.size(), rows.size()));
          REQUIRE(rows == expected);
          const std::int64_t dropped = drop_last ? 2 * (batch_size - 1) : 0;
          REQUIRE(std::ssize(rows) + batch_size > 47 * (epoch + 2 - state.epoch) - state.place().samples - dropped);
        }
      }
    }
  }
  const LoaderState state = BatchMaker(store, {.batch_size = 10}).state(0, 1);
  Loader loader(store, {.batch_size = 8});
  REQUIRE_THROWS_WITH(loader.restore(state), ContainsSubstring("no batch begins after 10 samples of epoch 0"));
  Loader blocks(store, {.batch_size = 8, .shuffle = Shuffle::blocks()});
  REQUIRE_THROWS_WITH(blocks.restore(BatchMaker(store, {.batch_size = 10, .shuffle = Shuffle::blocks()}).state(0, 1)),
                      ContainsSubstring("batch_size 10; this one has 8"));
  REQUIRE_THROWS_WITH(Loader(store, {.batch_size = 8, .origin = {0, 48}}), ContainsSubstring("an epoch has 47"));
}

TEST_CASE("samples in memory have a digest of their own", "[unit][loader]") {
  std::vector<std::int8_t> codes = {1, 2, 3, 4};
  const std::vector<std::int32_t> labels = {0, 1};
  const auto data = [&] {
    const HostSamples samples{.shape = {1, 1, 2},
                              .labels = {LabelKind::class_index, 1},
                              .codes = codes,
                              .label_bytes = std::as_bytes(std::span(labels))};
    return Loader(Store::load(samples, HostMemory::copy, Device::cpu()), {.batch_size = 2}).state().data;
  };
  const std::string first = data();
  REQUIRE(data() == first);
  codes[3] = 5;
  REQUIRE(data() != first);
}
