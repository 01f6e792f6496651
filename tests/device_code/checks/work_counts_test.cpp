// Sectors of global memory and wavefronts of shared memory.
#include <functional>

#include "catch.hpp"
#include "checks/work_counts.hpp"
#include "test_program.hpp"

using namespace device_code;

namespace {

Lanes addresses_of(const std::function<u64(u64)>& address) {
  Lanes addresses;
  for (u32 lane = 0; lane < kWarpLanes; ++lane) addresses[lane] = address(lane);
  return addresses;
}

/// Requests, bytes, units, and units if the bytes were next to each other.
using Counts = std::vector<u64>;
Counts counts(const RequestCounts& of) { return {of.requests, of.bytes, of.units, of.ideal_units}; }

}  // namespace

TEST_CASE("words next to each other need the fewest sectors", "[unit][device_code]") {
  CHECK(counts(count_sectors(kAllLanes, addresses_of([](u64 lane) { return 4096 + 4 * lane; }), 4)) ==
        Counts{1, 128, 4, 4});
  CHECK(counts(count_sectors(kAllLanes, addresses_of([](u64 lane) { return 4096 + 16 * lane; }), 16)) ==
        Counts{1, 512, 16, 16});
  CHECK(counts(count_sectors(kAllLanes, addresses_of([](u64 lane) { return 4096 + lane; }), 1)) == Counts{1, 32, 1, 1});
}

TEST_CASE("misaligned, strided and repeated words cost their sectors", "[unit][device_code]") {
  CHECK(counts(count_sectors(kAllLanes, addresses_of([](u64 lane) { return 4100 + 4 * lane; }), 4)) ==
        Counts{1, 128, 5, 4});
  CHECK(counts(count_sectors(kAllLanes, addresses_of([](u64 lane) { return 32 * lane; }), 4)) == Counts{1, 128, 32, 4});
  CHECK(counts(count_sectors(kAllLanes, addresses_of([](u64) { return 4096; }), 4)) == Counts{1, 128, 1, 1});
  CHECK(counts(count_sectors(0b101, addresses_of([](u64 lane) { return 4096 + 4 * lane; }), 4)) == Counts{1, 8, 1, 1});
}

TEST_CASE("a wavefront serves one word of each bank", "[unit][device_code]") {
  const auto wavefronts = [](u64 stride, u32 bytes) {
    return counts(count_wavefronts(kAllLanes, addresses_of([&](u64 lane) { return stride * lane; }), bytes));
  };
  CHECK(wavefronts(4, 4) == Counts{1, 128, 1, 1});
  CHECK(wavefronts(8, 4) == Counts{1, 128, 2, 1});
  CHECK(wavefronts(128, 4) == Counts{1, 128, 32, 1});
  CHECK(wavefronts(132, 4) == Counts{1, 128, 1, 1});
  CHECK(wavefronts(0, 4) == Counts{1, 128, 1, 1});
  CHECK(wavefronts(1, 1) == Counts{1, 32, 1, 1});
  CHECK(wavefronts(8, 8) == Counts{1, 256, 2, 2});
  CHECK(wavefronts(16, 16) == Counts{1, 512, 4, 4});
}

TEST_CASE("a launch counts the requests to each memory", "[unit][device_code]") {
  TestProgram program(R"(
    .shared .align 8 .b8 words[512];
    .local .b32 kept;
    mad.lo.u32 %r1, %lane, 8, words;
    st.shared.u32 [%r1], %lane;
    bar.warp.sync -1;
    ld.shared.u32 %r2, [%r1];
    ld.shared.u32 %r2, [%r1];
    st.local.u32 [kept], %r2;
    ld.local.u32 %r2, [kept];
    ld.global.u32 %r3, [%b];
    setp.lt.u32 %p1, %lane, 8;
    @%p1 st.global.u32 [%mine], %r2;
    mov.u32 %r1, words;
    cvt.u64.u32 %rd1, %r1;
    cvta.shared.u64 %rd1, %rd1;
    ld.u32 %r2, [%rd1];
    ld.u32 %r2, [%b];)");
  program.machine.options.counts_requests = true;
  program.run({{1, 1, 1}, {32, 1, 1}});
  CHECK(program.faults().empty());
  const WorkCounts& work = program.machine.counts;
  CHECK(work.launches == 1);
  CHECK(counts(work.shared_stores) == Counts{1, 128, 2, 1});
  CHECK(counts(work.shared_loads) == Counts{3, 384, 5, 3});
  CHECK(work.local_requests == 2);
  CHECK(work.global_loads.requests == 2);
  CHECK(work.global_loads.units == 2);
  CHECK(work.global_stores.requests == 1);
  CHECK(work.global_stores.bytes == 32);
  CHECK(work.global_stores.ideal_units == 1);
}

TEST_CASE("requests are not counted unless the options ask for it", "[unit][device_code]") {
  TestProgram program("ld.global.u32 %r3, [%b];");
  program.run();
  CHECK(program.machine.counts.global_loads.requests == 0);
  CHECK(program.machine.counts.warp_instructions == 12);
}

TEST_CASE("counts of launches add up", "[unit][device_code]") {
  WorkCounts sum, one;
  one.launches = 1;
  one.warps = 2;
  one.warp_instructions = 3;
  one.lane_instructions = 4;
  one.double_instructions = 5;
  one.block_barriers = 6;
  one.local_requests = 7;
  one.global_loads = {1, 2, 3, 4};
  one.global_stores = {5, 6, 7, 8};
  one.shared_loads = {9, 10, 11, 12};
  one.shared_stores = {13, 14, 15, 16};
  sum.add(one);
  sum.add(one);
  CHECK(Counts{sum.launches, sum.warps, sum.warp_instructions, sum.lane_instructions} == Counts{2, 4, 6, 8});
  CHECK(Counts{sum.double_instructions, sum.block_barriers, sum.local_requests} == Counts{10, 12, 14});
  CHECK(counts(sum.global_loads) == Counts{2, 4, 6, 8});
  CHECK(counts(sum.global_stores) == Counts{10, 12, 14, 16});
  CHECK(counts(sum.shared_loads) == Counts{18, 20, 22, 24});
  CHECK(counts(sum.shared_stores) == Counts{26, 28, 30, 32});
}
