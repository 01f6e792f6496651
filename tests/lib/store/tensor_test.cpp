// The typed access to the elements of a tensor.
#include <octavo/errors.hpp>
#include <octavo/loader.hpp>
#include <octavo/tensor.hpp>

#include "catch.hpp"
#include "packed_fixture.hpp"

using namespace octavo;
using namespace octavo::test;

TEST_CASE("the elements of a tensor are read as the type that it has", "[unit][store]") {
  float numbers[] = {1.5f, -2.0f};
  std::int32_t classes[] = {3, 4, 5};
  const TensorView floats = {numbers, DType::float32, {2}}, ints = {classes, DType::int32, {3, 1}};
  CHECK((floats.floats().size() == 2 && floats.floats()[1] == -2.0f));
  CHECK((ints.ints().size() == 3 && ints.ints()[2] == 5));
  CHECK_THROWS_AS(floats.ints(), InvalidArgument);
  CHECK_THROWS_WITH(floats.ints(), "read a tensor with ints(): its type is float32; use floats()");
  CHECK_THROWS_WITH(ints.floats(), "read a tensor with floats(): its type is int32; use ints()");
  for (const DType type : {DType::float16, DType::bfloat16, DType::int64, DType::uint8}) {
    const TensorView other = {classes, type, {1}};
    const std::string reason = std::string("its type is ") + to_string(type) + "; use `data`";
    CHECK_THROWS_WITH(other.ints(), ContainsSubstring(reason));
    CHECK_THROWS_WITH(other.floats(), ContainsSubstring(reason));
  }
}

TEST_CASE("elements without memory and those of a GPU are not read on the host", "[unit][store]") {
  float number = 0;
  CHECK_THROWS_WITH(TensorView().floats(), ContainsSubstring("it has no memory, as the labels or masks of a split"));
  CHECK(TensorView{nullptr, DType::float32, {0, 3}}.floats().empty());
  const TensorView on_gpu = {&number, DType::float32, {1}, Device::cuda(1)};
  CHECK_THROWS_WITH(on_gpu.floats(), ContainsSubstring("it is on cuda:1; copy it from `data` to host memory"));
}

TEST_CASE("labels of another type, and those of a split without labels, are refused", "[unit][store]") {
  PlainSplit split = random_split("train", 4, {1, 2, 2});
  const PackedFixture fixture({split});
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  Loader loader(store, {.batch_size = 2});
  const Batch& batch = *loader.epoch(0).begin();
  CHECK(batch.labels().ints().size() == 2);
  CHECK_THROWS_WITH(batch.labels().floats(), ContainsSubstring("its type is int32; use ints()"));
  CHECK_THROWS_WITH(batch.masks().ints(), ContainsSubstring("check `data` first"));
}
