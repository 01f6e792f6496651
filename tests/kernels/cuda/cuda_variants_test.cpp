// Runs every variant of the plain CUDA gathers, compiled for the host: each value type, layout, alignment and kind of
// map, with warps that take several steps.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "cuda_devices.hpp"
#include "gather_cases.hpp"
#include "gather_checks.hpp"

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

/// Gathers with these maps, and compares with the definition.
template <typename Value>
void require_defined_values(GatherData& data, const std::vector<Affine>& maps) {
  GatherArgs args = data.args();
  args.maps = maps.data();
  require_gather(args, kLargeDevice);
  std::vector<std::byte> expected;
  for (std::int64_t b = 0; b < args.batch_count; ++b) {
    const SelectedSample sample = sample_at(args.selection, b);
    for (std::int64_t i = 0; i < args.batch.values(); ++i) {
      const auto value =
          round_to<Value>(gathered_value(plain_stages(args), stored_row(args.packed, sample.row), sample, i));
      const auto bytes = std::bit_cast<std::array<std::byte, sizeof value>>(value);
      expected.insert(expected.end(), bytes.begin(), bytes.end());
    }
  }
  REQUIRE(data.values() == expected);
}

}  // namespace

TEST_CASE("the CUDA gather takes several steps per warp in every variant", "[unit][shim]") {
  for (const GatherCase& parameters : variants()) {
    INFO(parameters.name());
    GatherData data(parameters);
    require_defined_gather(data, kSmallDevice);  // 49 steps for 24 warps: two each
  }
}

TEST_CASE("the CUDA gather crosses the end of an epoch in every variant", "[unit][shim][order]") {
  for (GatherCase parameters : variants()) {
    parameters.B = 9;
    INFO(parameters.name());
    GatherData data(parameters);
    // The second of three ranks, at the last but one of 5 batches: the third batch is in the next epoch.
    data.set_cursor(make_order_cursor(parameters.N, 3, true, 10, batch_share(10, 1, 3), 4, 3));
    require_defined_gather(data, kLargeDevice, 3);
    REQUIRE(data.cursor().epoch == 5);
    REQUIRE(data.cursor().step == 1);
    REQUIRE(data.cursor().blocks_done == 0);
  }
}

TEST_CASE("the CUDA gather rounds unusual numbers like the definition", "[unit][shim]") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<Affine> maps = {
      {0x1p-12f, 1.0f},  {0x1p-9f, 1.0f},   // halves between numbers of float16, of bfloat16
      {0x1p-25f, 0.0f},  {0x1p-27f, 0.0f},  // subnormal numbers of float16, and less than half of the least one
      {1.0f, 65440.0f},  {1000.0f, 0.0f},   // the largest float16, and more
      {1.0f, kInfinity}, {1.0f, -kInfinity}, {std::numeric_limits<float>::quiet_NaN(), 0.0f}};
  const auto C = static_cast<std::int64_t>(maps.size());
  for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
    for (const std::int64_t P : {7, 24, 25}) {  // with 7, values are rounded one by one
      GatherData half_data({.N = 60, .C = C, .P = P, .B = 60, .layout = layout, .value_type = DType::float16});
      GatherData brain_data({.N = 60, .C = C, .P = P, .B = 60, .layout = layout, .value_type = DType::bfloat16});
      require_defined_values<Float16>(half_data, maps);
      require_defined_values<BFloat16>(brain_data, maps);
    }
  }
}

TEST_CASE("the CUDA gather reads samples that are within one word", "[unit][shim][order]") {
  for (const std::int64_t P : {1, 2, 3}) {
    for (const std::int64_t offset : {0, 1, 2, 3}) {
      for (const std::int64_t padding : {0, 1}) {
        const GatherCase parameters{
            .N = 23, .C = 1, .P = P, .B = 7, .stride_padding = padding, .code_offset = offset, .value_offset = 1};
        INFO(parameters.name());
        GatherData data(parameters);
        require_defined_gather(data, kSmallDevice);
      }
    }
  }
}

TEST_CASE("the CUDA gather copies labels of more words than a block has threads", "[unit][shim]") {
  for (const LabelType type : {LabelType::words, LabelType::int64}) {
    // One step, so blocks have one warp.
    GatherData data({.N = 9, .C = 1, .P = 64, .B = 4, .label_words = 70, .label_type = type});
    require_defined_gather(data, kLargeDevice);
  }
}
