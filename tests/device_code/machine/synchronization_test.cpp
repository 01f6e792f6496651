// Barriers of blocks and warps, and shuffles.
#include <functional>

#include "catch.hpp"
#include "test_program.hpp"

using namespace device_code;

namespace {

/// What each lane of a warp gets, 1000 + the lane that it reads plus 100000 if the predicate says that it is valid.
std::vector<u32> shuffled(const std::string& kind, const std::string& distance, const std::string& control) {
  TestProgram program("add.u32 %r1, %lane, 1000; shfl.sync." + kind + ".b32 %r2|%p1, %r1, " + distance + ", " +
                      control + ", -1; @%p1 add.u32 %r2, %r2, 100000; st.global.u32 [%mine], %r2;");
  program.run();
  CHECK(program.faults().empty());
  return {program.a.words().begin(), program.a.words().begin() + 32};
}

std::vector<u32> of_lanes(const std::function<u32(u32)>& value) {
  std::vector<u32> values;
  for (u32 lane = 0; lane < 32; ++lane) values.push_back(value(lane));
  return values;
}

constexpr u32 kValid = 101000, kInvalid = 1000;

}  // namespace

TEST_CASE("shuffles down and up read lanes at a distance, within the warp", "[unit][device_code]") {
  CHECK(shuffled("down", "3", "31") ==
        of_lanes([](u32 lane) { return lane < 29 ? kValid + lane + 3 : kInvalid + lane; }));
  CHECK(shuffled("up", "3", "0") == of_lanes([](u32 lane) { return lane >= 3 ? kValid + lane - 3 : kInvalid + lane; }));
  CHECK(shuffled("down", "0", "31") == of_lanes([](u32 lane) { return kValid + lane; }));
}

TEST_CASE("a butterfly shuffle exchanges lanes", "[unit][device_code]") {
  CHECK(shuffled("bfly", "16", "31") == of_lanes([](u32 lane) { return kValid + (lane ^ 16); }));
  CHECK(shuffled("bfly", "5", "31") == of_lanes([](u32 lane) { return kValid + (lane ^ 5); }));
  // Clamped to the lanes up to 7 of each segment of 8, which (lane ^ 8) is above for the lower half of each 16.
  CHECK(shuffled("bfly", "8", "0x1807") ==
        of_lanes([](u32 lane) { return (lane & 8) != 0 ? kValid + (lane ^ 8) : kInvalid + lane; }));
}

TEST_CASE("an index shuffle reads the same lane everywhere", "[unit][device_code]") {
  CHECK(shuffled("idx", "9", "31") == of_lanes([](u32) { return kValid + 9; }));
  CHECK(shuffled("idx", "41", "31") == of_lanes([](u32) { return kValid + 9; }));
  CHECK(shuffled("idx", "%lane", "31") == of_lanes([](u32 lane) { return kValid + lane; }));
}

TEST_CASE("segments keep shuffles apart", "[unit][device_code]") {
  // The mask 0x18 in bits 8 to 12 makes segments of 8 lanes.
  CHECK(shuffled("down", "2", "0x181F") ==
        of_lanes([](u32 lane) { return lane % 8 < 6 ? kValid + lane + 2 : kInvalid + lane; }));
  CHECK(shuffled("up", "2", "0x1800") ==
        of_lanes([](u32 lane) { return lane % 8 >= 2 ? kValid + lane - 2 : kInvalid + lane; }));
  CHECK(shuffled("idx", "3", "0x181F") == of_lanes([](u32 lane) { return kValid + lane / 8 * 8 + 3; }));
  // Lanes up to 2 of each segment can be read.
  CHECK(shuffled("idx", "3", "0x1802") == of_lanes([](u32 lane) { return kInvalid + lane; }));
  CHECK(shuffled("idx", "2", "0x1802") == of_lanes([](u32 lane) { return kValid + lane / 8 * 8 + 2; }));
}

TEST_CASE("a shuffle waits for the lanes of its mask, wherever they have been", "[unit][device_code]") {
  for (const MachineOptions& options : all_orders()) {
    // Each half sums its own lanes; the odd lanes have taken a longer way.
    TestProgram program(R"(
      and.b32 %r1, %lane, 1;
      setp.eq.u32 %p1, %r1, 0;
      mov.u32 %r2, %lane;
      @%p1 bra SHUFFLE;
      add.u32 %r2, %r2, 100;
    SHUFFLE:
      shfl.sync.bfly.b32 %r3, %r2, 1, 31, 0xFFFFFFFF;
      add.u32 %r2, %r2, %r3;
      st.global.u32 [%mine], %r2;)");
    program.machine.options = options;
    program.run();
    CHECK(program.faults().empty());
    for (u32 lane = 0; lane < 32; ++lane) CHECK(program.a[lane] == 2 * (lane & ~1u) + 101);
  }
}

TEST_CASE("halves of a warp shuffle apart by their masks", "[unit][device_code]") {
  const std::string body = R"(
    setp.lt.u32 %p1, %lane, 16;
    selp.b32 %r1, 0x0000FFFF, 0xFFFF0000, %p1;
    @%p1 bra LOW;
    shfl.sync.bfly.b32 %r3, %lane, 8, 31, %r1;
    bra JOIN;
  LOW:
    shfl.sync.bfly.b32 %r3, %lane, 4, 31, %r1;
  JOIN:
    st.global.u32 [%mine], %r3;)";
  for (const MachineOptions& options : all_orders()) {
    TestProgram program(body);
    program.machine.options = options;
    program.run();
    CHECK(program.faults().empty());
    CHECK(program.a[3] == 7);
    CHECK(program.a[17] == 25);
  }
}

TEST_CASE("lanes vote wherever they have been", "[unit][device_code]") {
  // Lane 5 has taken a longer way. Each half of the warp votes apart.
  for (const MachineOptions& options : all_orders()) {
    for (const std::string kind : {"any", "all"}) {
      for (const std::string comparison : {"eq", "ne", "lt"}) {
        TestProgram program("setp.lt.u32 %p3, %lane, 16; setp." + comparison + ".u32 %p1, %lane, 5;\n" +
                            "selp.b32 %r1, 0x0000FFFF, 0xFFFF0000, %p3; mov.u32 %r2, 0;\n" +
                            "setp.ne.u32 %p2, %lane, 5; @%p2 bra VOTE; add.u32 %r2, %r2, 100;\n" + "VOTE: vote.sync." +
                            kind + ".pred %p2, %p1, %r1;\n" +
                            "selp.b32 %r1, 1, 0, %p2; add.u32 %r2, %r2, %r1; st.global.u32 [%mine], %r2;");
        program.machine.options = options;
        program.run();
        CHECK(program.faults().empty());
        const auto is_yes = [&](u32 lane) {
          return comparison == "eq" ? lane == 5 : comparison == "ne" ? lane != 5 : lane < 5;
        };
        for (u32 lane = 0; lane < 32; ++lane) {
          bool any = false, all = true;
          for (u32 other = lane / 16 * 16; other < lane / 16 * 16 + 16; ++other) {
            any = any || is_yes(other);
            all = all && is_yes(other);
          }
          CHECK(program.a[lane] == (lane == 5 ? 100u : 0u) + static_cast<u32>(kind == "any" ? any : all));
        }
      }
    }
  }
}

TEST_CASE("the last warp of a block shuffles without the lanes that it lacks", "[unit][device_code]") {
  const std::string body = "shfl.sync.idx.b32 %r1, %lane, 3, 31, -1; st.global.u32 [%mine], %r1;";
  TestProgram program(body);
  program.run({{1, 1, 1}, {36, 1, 1}});
  CHECK(program.faults().empty());
  CHECK(program.a[33] == 3);
}

TEST_CASE("a block barrier orders the accesses of all its threads", "[unit][device_code]") {
  const std::string body = R"(
    .shared .align 4 .b8 words[256];
    mov.u32 %r1, %tid.x;
    mad.lo.u32 %r2, %r1, 4, words;
    st.shared.u32 [%r2], %r1;
    bar.sync 0;
    xor.b32 %r3, %r1, 33;
    mad.lo.u32 %r3, %r3, 4, words;
    ld.shared.u32 %r4, [%r3];
    st.global.u32 [%mine], %r4;)";
  for (const MachineOptions& options : all_orders()) {
    TestProgram program(body);
    program.machine.options = options;
    program.run({{2, 1, 1}, {64, 1, 1}});
    CHECK(program.faults().empty());
    CHECK(program.machine.counts.block_barriers == 2);
    for (u32 thread = 0; thread < 128; ++thread) CHECK(program.a[thread] == (thread % 64 ^ 33));
  }
}

TEST_CASE("a barrier orders its lanes of a warp", "[unit][device_code]") {
  const std::string body = R"(
    .shared .align 4 .b8 words[128];
    mad.lo.u32 %r2, %lane, 4, words;
    st.shared.u32 [%r2], %lane;
    bar.warp.sync -1;
    xor.b32 %r3, %lane, 31;
    mad.lo.u32 %r3, %r3, 4, words;
    ld.shared.u32 %r4, [%r3];
    st.global.u32 [%mine], %r4;)";
  for (const MachineOptions& options : all_orders()) {
    TestProgram program(body);
    program.machine.options = options;
    program.run();
    CHECK(program.faults().empty());
    for (u32 lane = 0; lane < 32; ++lane) CHECK(program.a[lane] == 31 - lane);
  }
}

TEST_CASE("a barrier of other threads than all of a block is an error", "[unit][device_code]") {
  CHECK_THROWS_WITH(TestProgram("bar.sync 1;"), ContainsSubstring("barrier 0"));
  CHECK_THROWS_WITH(TestProgram("bar.sync 0, 64;"), ContainsSubstring("barrier 0"));
  CHECK_THROWS_WITH(TestProgram("bar.sync %r1;"), ContainsSubstring("barrier 0"));
  CHECK_NOTHROW(TestProgram("barrier.sync.aligned 0;"));
}
