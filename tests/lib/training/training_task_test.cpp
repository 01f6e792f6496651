#include "training/training_task.hpp"

#include <array>
#include <limits>

#include "catch.hpp"
#include "training_data.hpp"

using namespace octavo;
using namespace octavo::test;
using namespace octavo::training;

namespace {

Dataset packed(const TemporaryFolder& folder, const std::vector<PlainSplit>& splits) {
  write_packed(folder / "a.h5", splits);
  return Dataset::open(folder / "a.h5");
}

}  // namespace

TEST_CASE("the splits are found by convention", "[unit][train]") {
  const TemporaryFolder folder;
  const SampleShape shape{1, 2, 2};
  const auto task = make_task(packed(folder, {random_split("test", 30, shape), random_split("train", 20, shape)}), {});
  REQUIRE(task.train.name() == "train");
  REQUIRE(task.test->name() == "test");
  REQUIRE(task.shape.input_count == 4);
  REQUIRE(task.shape.class_count == 10);
  REQUIRE(task.largest_split == 30);
  REQUIRE(task.largest_batch == 30);
}

TEST_CASE("split val is used without a test split and a split of another shape is not", "[unit][train]") {
  const TemporaryFolder folder;
  const PlainSplit first = random_split("first", 12, {1, 2, 2});
  REQUIRE(make_task(packed(folder, {first, random_split("val", 12, {1, 2, 2})}), {}).test->name() == "val");
  const Dataset dataset = packed(folder, {first, random_split("val", 12, {1, 2, 3})});
  REQUIRE(make_task(dataset, {}).train.name() == "first");
  REQUIRE_FALSE(make_task(dataset, {}).test);
  REQUIRE(evaluated_split(dataset).empty());
  TrainOptions options;
  options.test_split = "val";
  REQUIRE_THROWS_WITH(make_task(dataset, options), ContainsSubstring("1x2x2") && ContainsSubstring("1x2x3"));
}

TEST_CASE("labels other than class numbers cannot be learned", "[unit][train]") {
  const TemporaryFolder folder;
  PlainSplit split = random_split("train", 4, {1, 2, 2});
  split.labels.clear();
  split.label_width = 0;
  REQUIRE_THROWS_WITH(make_task(packed(folder, {split}), {}), ContainsSubstring("has no labels"));
  split.labels = {0, 1, 1, 0, 0, 0, 1, 1};
  split.label_width = 2;
  REQUIRE_THROWS_AS(make_task(packed(folder, {split}), {}), InvalidArgument);
}

TEST_CASE("a label outside the classes is named with its sample", "[unit][train]") {
  const std::array<std::int32_t, 3> labels = {0, 7, 2};
  REQUIRE(count_classes(labels, 0, 0, "train") == 8);
  REQUIRE(count_classes(labels, 0, 10, "train") == 10);
  REQUIRE_THROWS_WITH(count_classes(labels, 100, 7, "train"), ContainsSubstring("sample 101 has the label 7"));
  const std::array<std::int32_t, 1> negative = {-1};
  REQUIRE_THROWS_AS(count_classes(negative, 0, 0, "train"), FormatError);
}

TEST_CASE("invalid options are refused", "[unit][train]") {
  const TemporaryFolder folder;
  const Dataset dataset = packed(folder, {random_split("train", 4, {1, 2, 2})});
  const auto refused = [&](auto change) {
    TrainOptions options;
    change(options);
    REQUIRE_THROWS_AS(make_task(dataset, options), InvalidArgument);
  };
  refused([](TrainOptions& options) { options.batch_size = 0; });
  refused([](TrainOptions& options) { options.epochs = 0; });
  refused([](TrainOptions& options) { options.hidden_units = -1; });
  refused([](TrainOptions& options) { options.learning_rate = 0.0; });
  refused([](TrainOptions& options) { options.learning_rate = std::numeric_limits<double>::quiet_NaN(); });
  refused([](TrainOptions& options) { options.momentum = 1.0; });
  refused([](TrainOptions& options) { options.spec.dtype = DType::float16; });
  refused([](TrainOptions& options) { options.train_split = "none of these"; });
}
