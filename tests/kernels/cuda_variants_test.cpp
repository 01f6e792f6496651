// Runs every variant of the plain CUDA gathers, compiled for the host: each value type, layout, alignment and kind of
// map, with warps that take several steps.
#include <vector>

#include "catch.hpp"
#include "cuda_devices.hpp"
#include "gather_cases.hpp"
#include "kernels/cuda/gather.hpp"
#include "unwritten.hpp"

using namespace octavo::kernels;
using namespace octavo::test;
using octavo::DType;
using octavo::Layout;

namespace {

/// Cases of few pixels for every kernel, aligned or not, and every kind of map.
std::vector<GatherCase> variants() {
  std::vector<GatherCase> cases;
  for (const DType type : image_types()) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      for (const std::int64_t C : {1, 3, 4, 5}) {
        for (const std::int64_t P : {20, 24, 25}) {
          for (const auto& [uniform, pixel] : {std::pair{false, false}, {true, false}, {false, true}}) {
            for (const std::int64_t offset : {0, 1}) {
              cases.push_back({.N = 53,
                               .C = C,
                               .P = P,
                               .B = 49,
                               .layout = layout,
                               .value_type = type,
                               .uniform_map = uniform,
                               .pixel_shifts = pixel,
                               .label_type = static_cast<LabelType>(C % 3),
                               .staged_count = 7,
                               .code_offset = offset,
                               .value_offset = offset});
            }
          }
        }
      }
    }
  }
  return cases;
}

}  // namespace

TEST_CASE("the CUDA gather takes several steps per warp in every variant", "[unit][shim]") {
  for (const GatherCase& parameters : variants()) {
    INFO(parameters.name());
    GatherData data(parameters);
    const GatherArgs args = data.args();
    mark_unwritten(args);
    // 49 steps for 24 warps: two each.
    REQUIRE(cuda::launch_gather(args, kSmallDevice, nullptr) == cudaSuccess);
    REQUIRE(unwritten_bytes(args) == 0);
    REQUIRE(data.values() == data.expected_values());
    REQUIRE(data.out_labels() == data.expected_labels());
  }
}

TEST_CASE("the CUDA gather crosses the end of an epoch in every variant", "[unit][shim]") {
  for (GatherCase parameters : variants()) {
    parameters.B = 9;
    INFO(parameters.name());
    GatherData data(parameters);
    // The second of three ranks, at the last but one of 5 batches: the third batch is in the next epoch.
    data.set_cursor(make_order_cursor(parameters.N, 3, true, 10, batch_share(10, 1, 3), 4, 3));
    const auto values = data.expected_values();
    const auto labels = data.expected_labels();
    GatherArgs args = data.args();
    args.cursor_batches = 3;
    mark_unwritten(args);
    REQUIRE(cuda::launch_gather(args, kLargeDevice, nullptr) == cudaSuccess);
    REQUIRE(unwritten_bytes(args) == 0);
    REQUIRE(data.values() == values);
    REQUIRE(data.out_labels() == labels);
    REQUIRE(data.cursor().epoch == 5);
    REQUIRE(data.cursor().step == 1);
    REQUIRE(data.cursor().blocks_done == 0);
  }
}

TEST_CASE("the CUDA gather reads samples that are within one word", "[unit][shim]") {
  for (const std::int64_t P : {1, 2, 3}) {
    for (const std::int64_t offset : {0, 1, 2, 3}) {
      for (const std::int64_t padding : {0, 1}) {
        const GatherCase parameters{
            .N = 23, .C = 1, .P = P, .B = 7, .stride_padding = padding, .code_offset = offset, .value_offset = 1};
        INFO(parameters.name());
        GatherData data(parameters);
        const GatherArgs args = data.args();
        mark_unwritten(args);
        REQUIRE(cuda::launch_gather(args, kSmallDevice, nullptr) == cudaSuccess);
        REQUIRE(unwritten_bytes(args) == 0);
        REQUIRE(data.values() == data.expected_values());
      }
    }
  }
}
