#include "kernels/cpu/gather.hpp"

#include <hwy/targets.h>

#include "catch.hpp"
#include "gather_cases.hpp"
#include "kernels/cpu/floating_point_mode.hpp"
#include "target_guard.hpp"

using namespace octavo::kernels;
using namespace octavo::test;

namespace {

void require_expected(const GatherCase& parameters, GatherData& data) {
  INFO(parameters.name());
  REQUIRE(data.values() == data.expected_values());
  if (parameters.label_words > 0) REQUIRE(data.out_labels() == data.expected_labels());
}

}  // namespace

TEST_CASE("the portable gather gives the exact values of every case", "[unit][kernels]") {
  for (const GatherCase& parameters : gather_cases()) {
    GatherData data(parameters);
    cpu::gather_portable(data.args(), 0, parameters.B);
    require_expected(parameters, data);
  }
}

TEST_CASE("every instruction set of this machine gives the exact values of every case", "[unit][kernels]") {
  const TargetGuard guard;
  for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    INFO(cpu::gather_target_name());
    std::size_t number = 0;
    for (const GatherCase& parameters : gather_cases()) {
      if (is_sanitized() && number++ % 5 != 0) continue;
      for (const cpu::Stores stores : {cpu::Stores::cached, cpu::Stores::streaming}) {
        GatherData data(parameters);
        cpu::gather(data.args(), 0, parameters.B, stores);
        require_expected(parameters, data);
      }
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST_CASE("a batch gathered in pieces has the same bits as one gathered at once", "[unit][kernels]") {
  const GatherCase parameters{.N = 1000, .C = 3, .P = 81, .B = 333};
  GatherData data(parameters);
  for (std::int64_t first = 0; first < parameters.B; first += 50) {
    cpu::gather(data.args(), first, std::min<std::int64_t>(parameters.B, first + 50), cpu::Stores::cached);
  }
  require_expected(parameters, data);
}

TEST_CASE("given rows may repeat and be in reverse order", "[unit][kernels]") {
  const GatherCase parameters{.N = 10, .C = 1, .P = 70, .B = 6};
  GatherData data(parameters);
  data.set_rows({9, 9, 8, 0, 3, 0});
  cpu::gather(data.args(), 0, parameters.B, cpu::Stores::cached);
  require_expected(parameters, data);
}

TEST_CASE("a cursor draws the batches of one epoch and then of the next epoch", "[unit][kernels]") {
  // 47 samples make 5 batches of 9; the launch of 4 batches crosses the end of the epoch.
  const GatherCase parameters{.N = 47, .C = 1, .P = 70, .B = 36};
  for (const bool portable : {true, false}) {
    GatherData data(parameters);
    data.set_cursor(make_order_cursor(47, 3, true, 9, {0, 9}, 4, 3));
    if (portable)
      cpu::gather_portable(data.args(), 0, parameters.B);
    else
      cpu::gather(data.args(), 0, parameters.B, cpu::Stores::cached);
    require_expected(parameters, data);
  }
}

TEST_CASE("a host program's flush-to-zero mode changes no bit and is still set afterwards", "[unit][kernels]") {
  const GatherCase parameters{.N = 2, .C = 1, .P = 256, .B = 2};
  std::vector<std::int8_t> codes(512);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::int8_t>(i);
  const Affine tiny{1e-41f, 0.0f};  // every value is subnormal
  std::vector<float> out(512);
  GatherData data(parameters);
  GatherArgs args = data.args();
  args.packed.codes = codes.data();
  args.maps = &tiny;
  args.uniform_map = true;
  args.values = out.data();
  args.selection.order.shuffled = false;
  const std::uint64_t before = cpu::FloatingPointMode::read();
  const std::uint64_t flush_to_zero = before | cpu::FloatingPointMode::kFlushToZero;
  cpu::FloatingPointMode::write(flush_to_zero);
  cpu::gather(args, 0, 2, cpu::Stores::cached);
  const std::uint64_t after = cpu::FloatingPointMode::read();
  cpu::FloatingPointMode::write(before);
  REQUIRE(after == flush_to_zero);
  for (std::size_t i = 0; i < out.size(); ++i) REQUIRE(out[i] == exact_value(codes[i], tiny));
}
