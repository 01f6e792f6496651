// Races: which accesses are ordered, between threads, warps and blocks.
#include "catch.hpp"
#include "test_program.hpp"

using namespace device_code;

namespace {

const Shape kTwoWarps{{1, 1, 1}, {64, 1, 1}}, kTwoBlocks{{2, 1, 1}, {32, 1, 1}};

const std::string kShared = R"(
    .shared .align 4 .b8 words[256];
    mov.u32 %r1, %tid.x;
    mad.lo.u32 %r2, %r1, 4, words;
    xor.b32 %r3, %r1, 1;
    mad.lo.u32 %r3, %r3, 4, words;)";

/// Block 0 writes a word and sets a flag. Block 1 reads the word if it finds the flag.
std::string message(const std::string& release, const std::string& acquire) {
  return R"(
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p1, %r1, 1;
    setp.ne.u32 %p2, %lane, 0;
    @%p2 ret;
    @%p1 bra READ;
    st.global.u32 [%b], 77;
    )" + release +
         R"(
    atom.global.exch.b32 %r2, [%a], 1;
    ret;
  READ:
    atom.global.add.u32 %r3, [%a], 0;
    )" + acquire +
         R"(
    setp.eq.u32 %p3, %r3, 0;
    @%p3 ret;
    ld.global.u32 %r4, [%b];)";
}

/// All threads of a block write, then one releases; the last block to arrive reads all that others wrote.
std::string last_block(const std::string& release, const std::string& acquire) {
  return R"(
    .shared .b32 arrived;
    st.global.u32 [%mine], %thread;
    bar.sync 0;
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 5;
    @!%p1 bra WAIT;
    )" + release +
         R"(
    atom.global.add.u32 %r2, [%b], 1;
    )" + acquire +
         R"(
    st.shared.u32 [arrived], %r2;
  WAIT:
    bar.sync 0;
    ld.shared.u32 %r2, [arrived];
    mov.u32 %r3, %nctaid.x;
    sub.u32 %r3, %r3, 1;
    setp.ne.u32 %p1, %r2, %r3;
    @%p1 ret;
    mul.lo.u32 %r3, %r3, %lane;
    mad.wide.u32 %rd1, %r3, 4, %a;
    ld.global.u32 %r4, [%rd1];)";
}

}  // namespace

TEST_CASE("two lanes that write the same word race", "[unit][device_code]") {
  CHECK(faults_in_all_orders("st.global.u32 [%a], %lane;") == "race: write after write");
  CHECK(faults_in_all_orders("st.global.u32 [%a], 1;") == "race: write after write");
  CHECK(faults_in_all_orders("st.global.u32 [%mine], 1;").empty());
  CHECK(faults_in_all_orders(".shared .b32 word; st.shared.u32 [word], 1;") == "race: write after write");
}

TEST_CASE("a race is between bytes, not words", "[unit][device_code]") {
  const std::string address = "cvt.u64.u32 %rd1, %lane; add.u64 %rd1, %rd1, %a;";
  CHECK_FALSE(has_race(address + "st.global.u8 [%rd1], 1;"));
  CHECK(has_race(address + "st.global.u8 [%rd1], 1; ld.global.u32 %r1, [%a];"));
  CHECK(has_race("shr.u32 %r1, %lane, 1; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %rd1, %a; st.global.u8 [%rd1], 1;"));
}

TEST_CASE("a read of what another lane writes needs a barrier of the warp", "[unit][device_code]") {
  CHECK(has_race(kShared + "st.shared.u32 [%r2], %r1; ld.shared.u32 %r4, [%r3];"));
  CHECK_FALSE(has_race(kShared + "st.shared.u32 [%r2], %r1; bar.warp.sync -1; ld.shared.u32 %r4, [%r3];"));
  CHECK_FALSE(has_race(kShared + "st.shared.u32 [%r2], %r1; ld.shared.u32 %r4, [%r2];"));
}

TEST_CASE("a write over what another lane reads needs a barrier of the warp", "[unit][device_code]") {
  const std::string head = kShared + "st.shared.u32 [%r2], %r1; bar.warp.sync -1; ld.shared.u32 %r4, [%r3];";
  CHECK(has_race(head + "st.shared.u32 [%r2], 5;"));
  CHECK_FALSE(has_race(head + "bar.warp.sync -1; st.shared.u32 [%r2], 5;"));
  CHECK(faults_of(head + "st.shared.u32 [%r2], 5;") == "race: write after read");
  CHECK(faults_of(kShared + "st.shared.u32 [%r2], %r1; ld.shared.u32 %r4, [%r3];") == "race: read after write");
}

TEST_CASE("a barrier of a warp orders only the lanes of its mask", "[unit][device_code]") {
  const std::string head = kShared + R"(
    xor.b32 %r5, %r1, 16;
    mad.lo.u32 %r5, %r5, 4, words;
    setp.lt.u32 %p1, %lane, 16;
    selp.b32 %r6, 0x0000FFFF, 0xFFFF0000, %p1;
    st.shared.u32 [%r2], %r1;
    bar.warp.sync %r6;)";
  CHECK_FALSE(has_race(head + "ld.shared.u32 %r4, [%r3];"));
  CHECK(has_race(head + "ld.shared.u32 %r4, [%r5];"));
  CHECK_FALSE(has_race(head + "bar.warp.sync -1; ld.shared.u32 %r4, [%r5];"));
}

TEST_CASE("lanes that have met more often than others meet them as well", "[unit][device_code]") {
  const std::string head = R"(
    .shared .b32 word;
    setp.lt.u32 %p1, %lane, 16;
    setp.eq.u32 %p2, %lane, 0;
    @%p2 st.shared.u32 [word], 1;
    @%p1 bar.warp.sync 0xFFFF;
    @%p1 bar.warp.sync 0xFFFF;
    bar.warp.sync -1;
    @%p1 bar.warp.sync 0xFFFF;
    @%p1 bar.warp.sync 0xFFFF;
    ld.shared.u32 %r1, [word];)";
  CHECK_FALSE(has_race(head + "bar.warp.sync -1; @%p2 st.shared.u32 [word], 2;"));
  CHECK(has_race(head + "@%p1 bar.warp.sync 0xFFFF; @%p2 st.shared.u32 [word], 2;"));
}

TEST_CASE("barriers of a warp order lanes through a third one", "[unit][device_code]") {
  // Lane 0 writes; it meets lane 1, which then meets lane 2, which reads.
  const std::string head = R"(
    .shared .b32 word;
    setp.eq.u32 %p1, %lane, 0;
    setp.le.u32 %p2, %lane, 1;
    setp.eq.u32 %p3, %lane, 2;
    setp.gt.u32 %p4, %lane, 2;
    @%p4 ret;
    @%p1 st.shared.u32 [word], 1;)";
  const std::string tail = R"(
    @%p1 ret;
    bar.warp.sync 6;
    @%p3 ld.shared.u32 %r1, [word];)";
  CHECK_FALSE(has_race(head + "@%p2 bar.warp.sync 3;" + tail));
  CHECK(has_race(head + tail));
}

TEST_CASE("a shuffle orders no accesses", "[unit][device_code]") {
  CHECK(has_race(kShared +
                 "st.shared.u32 [%r2], %r1; shfl.sync.bfly.b32 %r5, %r1, 1, 31, -1; ld.shared.u32 %r4, [%r3];"));
}

TEST_CASE("warps of a block need a barrier of the block", "[unit][device_code]") {
  const std::string other = kShared + "xor.b32 %r5, %r1, 32; mad.lo.u32 %r5, %r5, 4, words; st.shared.u32 [%r2], %r1;";
  CHECK(has_race(other + "ld.shared.u32 %r4, [%r5];", kTwoWarps));
  CHECK(has_race(other + "bar.warp.sync -1; ld.shared.u32 %r4, [%r5];", kTwoWarps));
  CHECK_FALSE(has_race(other + "bar.sync 0; ld.shared.u32 %r4, [%r5];", kTwoWarps));
  CHECK(has_race(other + "bar.sync 0; ld.shared.u32 %r4, [%r5]; st.shared.u32 [%r2], 5;", kTwoWarps));
  CHECK_FALSE(has_race(other + "bar.sync 0; ld.shared.u32 %r4, [%r5]; bar.sync 0; st.shared.u32 [%r2], 5;", kTwoWarps));
}

TEST_CASE("a word that both warps read is written after a barrier of the block", "[unit][device_code]") {
  const std::string head = R"(
    .shared .b32 word;
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 st.shared.u32 [word], 1;
    bar.sync 0;
    ld.shared.u32 %r2, [word];)";
  CHECK_FALSE(has_race(head + "bar.sync 0; @%p1 st.shared.u32 [word], 2;", kTwoWarps));
  CHECK(has_race(head + "@%p1 st.shared.u32 [word], 2;", kTwoWarps));
  CHECK(has_race(head + "bar.warp.sync -1; @%p1 st.shared.u32 [word], 2;", kTwoWarps));
}

TEST_CASE("reads do not race", "[unit][device_code]") {
  CHECK_FALSE(has_race("ld.global.u32 %r1, [%a]; ld.global.u32 %r2, [%a];", {{3, 1, 1}, {64, 1, 1}}));
}

TEST_CASE("atomics do not race with each other, but with other accesses", "[unit][device_code]") {
  const Shape shape{{3, 1, 1}, {64, 1, 1}};
  CHECK_FALSE(has_race("red.global.add.u32 [%a], 1;", shape));
  CHECK(has_race("red.global.add.u32 [%a], 1; ld.global.u32 %r1, [%a];", shape));
  CHECK(has_race("red.global.add.u32 [%a], 1; st.global.u32 [%a], 3;", shape));
  CHECK(has_race("ld.global.u32 %r1, [%a]; red.global.add.u32 [%a], 1;", shape));
  const std::string head = R"(
    .shared .b32 sum;
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 st.shared.u32 [sum], 0;)";
  CHECK(faults_of(head + "red.shared.add.u32 [sum], 1;", kTwoWarps) == "race: write after write");
  CHECK(has_race(head + "bar.sync 0; red.shared.add.u32 [sum], 1; @%p1 ld.shared.u32 %r2, [sum];", kTwoWarps));
  CHECK_FALSE(has_race(head + "bar.sync 0; red.shared.add.u32 [sum], 1; bar.sync 0; @%p1 ld.shared.u32 %r2, [sum];",
                       kTwoWarps));
}

TEST_CASE("a plain access must be ordered after all atomics, not only the last one", "[unit][device_code]") {
  const std::string head = R"(
    .shared .b32 sum;
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 0;
    setp.eq.u32 %p2, %r1, 31;
    setp.eq.u32 %p3, %r1, 63;
    @%p1 st.shared.u32 [sum], 0;
    bar.sync 0;
    red.shared.add.u32 [sum], 1;)";
  CHECK(faults_of(head + "@%p2 ld.shared.u32 %r2, [sum];") == "race: read after write");
  CHECK_FALSE(has_race(head + "bar.warp.sync -1; @%p2 ld.shared.u32 %r2, [sum];"));
  CHECK(faults_of(head + "bar.warp.sync -1; @%p3 ld.shared.u32 %r2, [sum];", kTwoWarps) == "race: read after write");
  CHECK_FALSE(has_race(head + "bar.sync 0; @%p3 ld.shared.u32 %r2, [sum];", kTwoWarps));
  CHECK_FALSE(
      has_race(head + "bar.sync 0; red.shared.add.u32 [sum], 1; bar.sync 0; @%p2 st.shared.u32 [sum], 0;", kTwoWarps));
}

TEST_CASE("blocks race for the same word whether or not they run at the same time", "[unit][device_code]") {
  const std::string first_lane = "setp.eq.u32 %p1, %lane, 0; @!%p1 ret;";
  CHECK(has_race(first_lane + "st.global.u32 [%a], 1;", kTwoBlocks));
  CHECK(has_race(first_lane + "ld.global.u32 %r1, [%a]; st.global.u32 [%a], 1;", kTwoBlocks));
  CHECK(has_race("bar.sync 0; " + first_lane + "st.global.u32 [%a], 1;", kTwoBlocks));
  CHECK_FALSE(has_race(first_lane + "st.global.u32 [%mine], 1;", kTwoBlocks));
}

TEST_CASE("a fence before an atomic releases, and a fence after an atomic acquires", "[unit][device_code]") {
  const std::string race = "race: read after write";
  for (const std::string fence : {"membar.gl;", "membar.sys;", "fence.acq_rel.gpu;", "fence.sc.sys;"}) {
    CAPTURE(fence);
    CHECK(faults_in_all_orders(message(fence, fence), kTwoBlocks).empty());
    // In the default order block 0 comes first, so block 1 reads.
    CHECK(faults_of(message("", fence), kTwoBlocks) == race);
    CHECK(faults_of(message(fence, ""), kTwoBlocks) == race);
  }
}

TEST_CASE("a fence releases only what was written before it", "[unit][device_code]") {
  const std::string race = "race: read after write", fence = "membar.gl;";
  CHECK(faults_of("membar.gl;" + message("", fence), kTwoBlocks) == race);
  CHECK(faults_of(message("membar.gl; st.global.u32 [%b], 78;", fence), kTwoBlocks) == race);
  CHECK(faults_of(message("st.global.u32 [%b], 78; membar.gl;", fence), kTwoBlocks).empty());
}

TEST_CASE("fences and atomics of a block do not order others", "[unit][device_code]") {
  const std::string race = "race: read after write", fence = "membar.gl;";
  CHECK(faults_of(message("membar.cta;", fence), kTwoBlocks) == race);
  CHECK(faults_of(message(fence, "fence.acq_rel.cta;"), kTwoBlocks) == race);
  std::string narrow = message(fence, fence);
  narrow.replace(narrow.find("atom.global.exch"), 16, "atom.global.cta.exch");
  CHECK(faults_of(narrow, kTwoBlocks) == race);
}

TEST_CASE("the last block to arrive reads what all others wrote", "[unit][device_code]") {
  const Shape shape{{3, 1, 1}, {40, 1, 1}};
  CHECK(faults_in_all_orders(last_block("membar.gl;", "membar.gl;"), shape).empty());
  CHECK(has_race(last_block("", "membar.gl;"), shape));
  CHECK(has_race(last_block("membar.gl;", ""), shape));
}

TEST_CASE("each thread releases what it wrote itself", "[unit][device_code]") {
  // 64 threads write and arrive; the one that arrives last reads every word.
  const auto body = [](const std::string& release) {
    return "st.global.u32 [%mine], %thread; " + release + R"(
    atom.global.add.u32 %r1, [%b], 1;
    membar.gl;
    setp.ne.u32 %p1, %r1, 63;
    @%p1 ret;
    mov.u32 %r2, 0;
  NEXT:
    mad.wide.u32 %rd1, %r2, 4, %a;
    ld.global.u32 %r3, [%rd1];
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 64;
    @%p1 bra NEXT;)";
  };
  CHECK(faults_in_all_orders(body("membar.gl;"), kTwoBlocks).empty());
  CHECK(has_race(body(""), kTwoBlocks));
}

TEST_CASE("a barrier of the warp extends a release and an acquisition to other lanes", "[unit][device_code]") {
  // Lane 0 arrives for its warp, and the warp that arrives last reads what the other wrote.
  const auto body = [](const std::string& first, const std::string& second) {
    return "setp.ne.u32 %p1, %lane, 0; st.global.u32 [%mine], %thread; " + first + R"(
    @%p1 bra WAIT;
    membar.gl;
    atom.global.add.u32 %r1, [%b], 1;
    membar.gl;
  WAIT:
    )" + second +
           R"(
    shfl.sync.idx.b32 %r1, %r1, 0, 31, -1;
    setp.eq.u32 %p2, %r1, 0;
    @%p2 ret;
    xor.b32 %r2, %thread, 33;
    mad.wide.u32 %rd1, %r2, 4, %a;
    ld.global.u32 %r3, [%rd1];)";
  };
  CHECK(faults_in_all_orders(body("bar.warp.sync -1;", "bar.warp.sync -1;"), kTwoBlocks).empty());
  CHECK(has_race(body("", "bar.warp.sync -1;"), kTwoBlocks));
  CHECK(has_race(body("bar.warp.sync -1;", ""), kTwoBlocks));
}

TEST_CASE("a noncoherent load of what the launch writes is found", "[unit][device_code]") {
  const std::string fault = "noncoherent load of written data";
  CHECK(faults_in_all_orders("ld.global.nc.u32 %r1, [%b]; st.global.u32 [%mine], %r1;").empty());
  CHECK(faults_in_all_orders("st.global.u32 [%mine], 1; ld.global.nc.u32 %r1, [%mine];") == fault);
  CHECK(faults_in_all_orders("ld.global.nc.u32 %r1, [%mine]; st.global.u32 [%mine], 1;") == fault);
  CHECK(faults_in_all_orders("st.global.u32 [%mine], 1; bar.sync 0; ld.global.nc.u32 %r1, [%mine];") == fault);
}

TEST_CASE("launches are ordered, and blocks have shared memory of their own", "[unit][device_code]") {
  TestProgram program("setp.eq.u32 %p1, %lane, 0; @%p1 st.global.u32 [%a], 1; @!%p1 ld.global.nc.u32 %r1, [%b];");
  program.run();
  program.run();
  CHECK(program.faults().empty());
  CHECK_FALSE(has_race(kShared + "st.shared.u32 [%r2], 1;", kTwoBlocks));
}

TEST_CASE("races are found only if the options ask for it", "[unit][device_code]") {
  TestProgram program("st.global.u32 [%a], 1;");
  program.machine.options.finds_races = false;
  program.run();
  CHECK(program.faults().empty());
}

TEST_CASE("a race names both accesses", "[unit][device_code]") {
  TestProgram program("setp.eq.u32 %p1, %lane, 3;\n@%p1 st.global.u32 [%a+4], 1;\n@!%p1 ld.global.u32 %r1, [%a+4];");
  program.run();
  REQUIRE(program.machine.findings.all().size() == 1);
  CHECK_THAT(program.machine.findings.all()[0].example,
             ContainsSubstring("thread 0, 4 bytes at offset 4; before by thread 3 of block number 0 at PTX line "));
}
