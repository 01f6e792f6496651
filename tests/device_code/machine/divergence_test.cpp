// How the lanes of a warp part and meet again, in branches, loops and calls.
#include "catch.hpp"
#include "test_program.hpp"

using namespace device_code;

namespace {

constexpr u64 kPrologue = 10;  // instructions of each TestProgram before its body

/// Instructions of warps that the body of a program takes, with its return.
u64 body_instructions(TestProgram& program, const Shape& shape = {}) {
  program.run(shape);
  CHECK(program.faults().empty());
  return program.machine.counts.warp_instructions - program.machine.counts.warps * kPrologue;
}

/// Runs a program in each order and compares the words of each thread.
template <typename Expected>
void check_words(const std::string& body, const Shape& shape, const Expected& expected,
                 std::string_view functions = {}) {
  for (const MachineOptions& options : all_orders()) {
    TestProgram program(body, functions);
    program.machine.options = options;
    program.run(shape);
    REQUIRE(program.faults().empty());
    const u64 threads = shape.grid.count() * shape.block.count();
    for (u32 thread = 0; thread < threads; ++thread) REQUIRE(program.a[thread] == expected(thread));
    for (std::size_t word = threads; word < program.a.words().size(); ++word) REQUIRE(program.a[word] == 0);
  }
}

constexpr const char* kBranches = R"(
    setp.lt.u32 %p1, %lane, 16;
    @%p1 bra LOW;
    add.u32 %r1, %lane, 100;
    bra JOIN;
  LOW:
    add.u32 %r1, %lane, 200;
  JOIN:
    st.global.u32 [%mine], %r1;)";

constexpr const char* kNested = R"(
    mov.u32 %r1, 0;
    and.b32 %r2, %lane, 1;
    and.b32 %r3, %lane, 2;
    setp.eq.u32 %p1, %r2, 0;
    setp.eq.u32 %p2, %r3, 0;
    @%p1 bra EVEN;
    @%p2 bra ODD_LOW;
    add.u32 %r1, %r1, 1;
    bra ODD;
  ODD_LOW:
    add.u32 %r1, %r1, 2;
  ODD:
    add.u32 %r1, %r1, 10;
    bra JOIN;
  EVEN:
    @!%p2 bra JOIN;
    add.u32 %r1, %r1, 3;
  JOIN:
    add.u32 %r1, %r1, 100;
    st.global.u32 [%mine], %r1;)";

constexpr const char* kLoop = R"(
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
  AGAIN:
    setp.ge.u32 %p1, %r2, %lane;
    @%p1 bra DONE;
    add.u32 %r2, %r2, 1;
    add.u32 %r1, %r1, %r2;
    bra AGAIN;
  DONE:
    st.global.u32 [%mine], %r1;)";

/// Twice its argument plus its thread's lane, and the factorial.
constexpr const char* kFunctions = R"(
.func (.param .b32 result) twice(.param .b32 value, .param .align 8 .b8 pair[8])
{
.reg .b32 %r<5>;
ld.param.u32 %r1, [value];
ld.param.u32 %r2, [pair+4];
shl.b32 %r1, %r1, 1;
add.u32 %r1, %r1, %r2;
st.param.b32 [result+0], %r1;
ret;
}
.func (.param .b32 result) factorial(.param .b32 value)
;
.func (.param .b32 result) factorial(.param .b32 value)
{
.reg .pred %p<2>;
.reg .b32 %r<5>;
.local .align 4 .b8 kept[4];
ld.param.u32 %r1, [value];
st.local.u32 [kept], %r1;
mov.u32 %r3, 1;
setp.le.u32 %p1, %r1, 1;
@%p1 bra DONE;
{ .param .b32 param0; .param .b32 retval0;
sub.u32 %r2, %r1, 1;
st.param.b32 [param0+0], %r2;
call.uni (retval0), factorial, (param0);
ld.param.b32 %r3, [retval0+0];
}
ld.local.u32 %r1, [kept];
mul.lo.u32 %r3, %r3, %r1;
DONE:
st.param.b32 [result], %r3;
ret;
}
)";

constexpr const char* kCallTwice = R"(
    mov.u32 %r2, 7;
    setp.lt.u32 %p1, %lane, 5;
    @!%p1 bra DONE;
    { .param .b32 param0; .param .align 8 .b8 param1[8]; .param .b32 retval0;
    st.param.b32 [param0+0], %thread;
    st.param.v2.b32 [param1+0], {%r2, %lane};
    call.uni (retval0), twice, (param0, param1);
    ld.param.b32 %r2, [retval0+0];
    }
  DONE:
    st.global.u32 [%mine], %r2;)";

constexpr const char* kCallFactorial = R"(
    and.b32 %r1, %lane, 7;
    { .param .b32 param0; .param .b32 retval0;
    st.param.b32 [param0+0], %r1;
    call.uni (retval0), factorial, (param0);
    ld.param.b32 %r2, [retval0+0];
    }
    st.global.u32 [%mine], %r2;)";

}  // namespace

TEST_CASE("both sides of a branch are executed, and the lanes meet after it", "[unit][device_code]") {
  check_words(kBranches, {}, [](u32 thread) { return thread + (thread < 16 ? 200 : 100); });
  // setp, bra, add, bra, add, st, ret.
  TestProgram program(kBranches);
  CHECK(body_instructions(program) == 7);
}

TEST_CASE("a branch of all lanes or of none does not part them", "[unit][device_code]") {
  TestProgram taken("setp.lt.u32 %p1, %lane, 99; @%p1 bra END; add.u32 %r1, %lane, 1; END: mov.u32 %r1, 0;");
  CHECK(body_instructions(taken) == 4);
  TestProgram passed("setp.lt.u32 %p1, %lane, 0; @%p1 bra END; add.u32 %r1, %lane, 1; END: mov.u32 %r1, 0;");
  CHECK(body_instructions(passed) == 5);
}

TEST_CASE("nested branches give each lane its own path", "[unit][device_code]") {
  const u32 of_lane[] = {103, 112, 100, 111};
  check_words(kNested, {}, [&](u32 thread) { return of_lane[thread % 4]; });
  // 5 before the first branch, each of the 9 from there to JOIN once, and add, st, ret.
  TestProgram program(kNested);
  CHECK(body_instructions(program) == 17);
}

TEST_CASE("lanes leave a loop at different times and meet after it", "[unit][device_code]") {
  check_words(kLoop, {}, [](u32 thread) { return thread * (thread + 1) / 2; });
  // Lane 31 sets the pace: 31 rounds of 5 instructions, a last one of 2, and 2 movs, st, ret.
  TestProgram program(kLoop);
  CHECK(body_instructions(program) == 31 * 5 + 2 + 4);
  // In round k, from 0, 32 - k lanes reach the test, one leaves, and 31 - k execute the rest.
  u64 lanes = 4 * 32;
  for (u64 k = 0; k < 32; ++k) lanes += (32 - k) + 1 + 3 * (31 - k);
  CHECK(program.machine.counts.lane_instructions == kPrologue * 32 + lanes);
}

TEST_CASE("a function is called with parameters, by some lanes", "[unit][device_code]") {
  const Shape shape{{2, 1, 1}, {40, 1, 1}};
  const auto expected = [](u32 thread) {
    const u32 lane = thread % 40 % 32;
    return lane < 5 ? 2 * thread + lane : 7u;
  };
  check_words(kCallTwice, shape, expected, kFunctions);
}

TEST_CASE("a function calls itself, with its own registers, parameters and local memory", "[unit][device_code]") {
  const u32 factorials[] = {1, 1, 2, 6, 24, 120, 720, 5040};
  check_words(
      kCallFactorial, {}, [&](u32 thread) { return factorials[thread % 8]; }, kFunctions);
}

TEST_CASE("lanes are in functions that use a register as a value and as a predicate", "[unit][device_code]") {
  // The first register of one function is %rd0, of the other %p0. Each adds its argument eight times.
  const std::string functions = R"(
    .func (.param .b32 sum) by_value(.param .b32 addend) {
      .reg .b64 %rd<1>; .reg .b32 %r<3>; .reg .pred %p<1>;
      ld.param.u32 %r0, [addend]; mov.u64 %rd0, 0; mov.u32 %r1, 0;
      AGAIN: cvt.u32.u64 %r2, %rd0; add.u32 %r2, %r2, %r0; cvt.u64.u32 %rd0, %r2;
      add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 8; @%p0 bra AGAIN;
      st.param.b32 [sum], %r2; ret; }
    .func (.param .b32 sum) by_predicate(.param .b32 addend) {
      .reg .pred %p<1>; .reg .b32 %r<3>;
      ld.param.u32 %r0, [addend]; mov.u32 %r2, 0; mov.u32 %r1, 0;
      AGAIN: add.u32 %r1, %r1, 1; add.u32 %r2, %r2, %r0; setp.lt.u32 %p0, %r1, 8; @%p0 bra AGAIN;
      st.param.b32 [sum], %r2; ret; }
)";
  constexpr const char* kBody = R"(
    { .param .b32 param0; .param .b32 retval0;
    st.param.b32 [param0+0], %lane; and.b32 %r1, %lane, 1; setp.eq.u32 %p1, %r1, 0;
    @%p1 bra EVEN;
    call.uni (retval0), by_predicate, (param0); bra.uni DONE;
    EVEN: call.uni (retval0), by_value, (param0);
    DONE: ld.param.b32 %r2, [retval0+0];
    }
    st.global.u32 [%mine], %r2;)";
  for (u32 seed = 1; seed <= 20; ++seed) {
    TestProgram program(kBody, functions);
    program.machine.options.is_random = true;
    program.machine.options.seed = seed;
    program.run();
    CHECK(program.faults().empty());
    for (u32 lane = 0; lane < 32; ++lane) CHECK(program.a[lane] == 8 * lane);
  }
}

TEST_CASE("exit in a function ends the thread, and ret only the function", "[unit][device_code]") {
  const std::string function =
      ".func leave() { .reg .pred %p<2>; .reg .b32 %r<2>; mov.u32 %r1, %laneid; "
      "setp.lt.u32 %p1, %r1, 4; @%p1 exit; ret; }\n";
  check_words(
      "call.uni leave; st.global.u32 [%mine], 1;", {}, [](u32 thread) { return thread < 4 ? 0u : 1u; }, function);
}

TEST_CASE("threads that return take no part in what follows", "[unit][device_code]") {
  check_words("setp.gt.u32 %p1, %lane, 20; @%p1 ret; st.global.u32 [%mine], 5;", {},
              [](u32 thread) { return thread > 20 ? 0u : 5u; });
}

TEST_CASE("a block has a part of a warp at its end", "[unit][device_code]") {
  const Shape shape{{1, 1, 1}, {45, 1, 1}};
  check_words("st.global.u32 [%mine], 9;", shape, [](u32) { return 9u; });
  TestProgram program("st.global.u32 [%mine], 9;");
  CHECK(body_instructions(program, shape) == 2 * 2);
  CHECK(program.machine.counts.warps == 2);
  CHECK(program.machine.counts.lane_instructions == 45 * (kPrologue + 2));
}

TEST_CASE("an instruction whose guard is false everywhere still takes a turn", "[unit][device_code]") {
  TestProgram program("setp.gt.u32 %p1, %lane, 50; @%p1 st.global.u32 [%mine], 1; @!%p1 st.global.u32 [%mine], 2;");
  CHECK(body_instructions(program) == 4);
  CHECK(program.a[31] == 2);
  CHECK(program.machine.counts.lane_instructions == 32 * (kPrologue + 3));
}

TEST_CASE("threads and blocks know their places in three dimensions", "[unit][device_code]") {
  const auto words_of = [](const std::string& special, const Shape& shape) {
    TestProgram program("mov.u32 %r2, %" + special + R"(;
      mov.u32 %r3, %ntid.y; mov.u32 %r4, %ntid.z; mov.u32 %r5, %ntid.x; mul.lo.u32 %r3, %r3, %r4; mul.lo.u32 %r3, %r3, %r5;
      mov.u32 %r4, %tid.y; mov.u32 %r6, %tid.z; mov.u32 %r7, %ntid.y; mad.lo.u32 %r4, %r6, %r7, %r4;
      mov.u32 %r6, %tid.x; mad.lo.u32 %r4, %r4, %r5, %r6;
      mov.u32 %r6, %ctaid.z; mov.u32 %r7, %nctaid.y; mov.u32 %r8, %ctaid.y; mad.lo.u32 %r6, %r6, %r7, %r8;
      mov.u32 %r7, %nctaid.x; mov.u32 %r8, %ctaid.x; mad.lo.u32 %r6, %r6, %r7, %r8;
      mad.lo.u32 %r4, %r6, %r3, %r4; mad.wide.u32 %rd1, %r4, 4, %a; st.global.u32 [%rd1], %r2;)");
    program.run(shape);
    CHECK(program.faults().empty());
    return program.a.words();
  };
  // 6 blocks of 12 threads; thread 7 of block 4 is word 55.
  const Shape shape{{1, 2, 3}, {2, 3, 2}};
  CHECK(words_of("tid.x", shape)[55] == 1);
  CHECK(words_of("tid.y", shape)[55] == 0);
  CHECK(words_of("tid.z", shape)[55] == 1);
  CHECK(words_of("ctaid.x", shape)[55] == 0);
  CHECK(words_of("ctaid.y", shape)[55] == 0);
  CHECK(words_of("ctaid.z", shape)[55] == 2);
  CHECK(words_of("ntid.y", shape)[0] == 3);
  CHECK(words_of("ntid.z", shape)[0] == 2);
  CHECK(words_of("nctaid.y", shape)[0] == 2);
  CHECK(words_of("nctaid.z", shape)[0] == 3);
  CHECK(words_of("laneid", shape)[55] == 7);
  CHECK(words_of("warpid", {{1, 1, 1}, {40, 1, 1}})[35] == 1);
}

TEST_CASE("all lanes count their instructions in double precision once for a warp", "[unit][device_code]") {
  TestProgram program("cvt.rn.f64.u32 %fd1, %lane; add.f64 %fd1, %fd1, %fd1; fma.rn.f64 %fd2, %fd1, %fd1, %fd1;");
  body_instructions(program, {{1, 1, 1}, {64, 1, 1}});
  CHECK(program.machine.counts.double_instructions == 2 * 2);
}
