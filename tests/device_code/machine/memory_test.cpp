// Loads, stores, generic addresses and atomics.
#include "catch.hpp"
#include "test_program.hpp"

using namespace device_code;

namespace {

std::vector<u32> first_words(const TestBuffer& buffer, std::size_t count) {
  return {buffer.words().begin(), buffer.words().begin() + static_cast<std::ptrdiff_t>(count)};
}

/// The first words of buffer a after a program that one thread runs on buffer b.
std::vector<u32> words_after(const std::string& body, std::vector<u32> b, std::size_t count) {
  TestProgram program(body);
  program.b = TestBuffer(std::move(b));
  program.run({{1, 1, 1}, {1, 1, 1}});
  CHECK(program.faults().empty());
  return first_words(program.a, count);
}

/// The old and the new value of a word that an atomic of one thread changes.
struct Changed {
  u64 old_value, new_value;
  bool operator==(const Changed&) const = default;
};
Changed changed_by(const std::string& space, const std::string& atomic, const std::string& registers, u64 before,
                   const std::string& operands) {
  const bool is_shared = space == "shared";
  const std::string type = registers == "rd" ? "b64" : "b32", word = is_shared ? "[word]" : "[%b]";
  TestProgram program(".shared .align 8 .b8 word[8]; ld.global.b64 %rd1, [%b]; st." + std::string(space) + ".b64 " +
                      word + ", %rd1; atom." + space + "." + atomic + " %" + registers + "2, " + word + ", " +
                      operands + "; ld." + space + ".b64 %rd3, " + word + "; st.global.b64 [%a], %rd3; st.global." +
                      type + " [%c], %" + registers + "2;");
  program.b = TestBuffer({static_cast<u32>(before), static_cast<u32>(before >> 32)});
  program.run({{1, 1, 1}, {1, 1, 1}});
  CHECK(program.faults().empty());
  return {program.c.double_words()[0], program.a.double_words()[0]};
}

}  // namespace

TEST_CASE("a load extends a number by its type", "[unit][device_code]") {
  const std::vector<u32> b{0xFFFEFD80, 0x89ABCDEF};
  CHECK(words_after("ld.global.u8 %r1, [%b]; st.global.u32 [%a], %r1;", b, 1) == std::vector<u32>{0x80});
  CHECK(words_after("ld.global.s8 %r1, [%b]; st.global.u32 [%a], %r1;", b, 1) == std::vector<u32>{0xFFFFFF80});
  CHECK(words_after("ld.global.s8 %rs1, [%b+1]; cvt.u32.u16 %r1, %rs1; st.global.u32 [%a], %r1;", b, 1) ==
        std::vector<u32>{0xFFFD});
  CHECK(words_after("ld.global.u16 %r1, [%b+2]; st.global.u32 [%a], %r1;", b, 1) == std::vector<u32>{0xFFFE});
  CHECK(words_after("ld.global.s32 %rd1, [%b+4]; st.global.u64 [%a], %rd1;", b, 2) ==
        std::vector<u32>{0x89ABCDEF, 0xFFFFFFFF});
  CHECK(words_after("ld.global.u64 %rd1, [%b]; st.global.u64 [%a+8], %rd1;", b, 4) ==
        std::vector<u32>{0, 0, 0xFFFEFD80, 0x89ABCDEF});
}

TEST_CASE("a store writes the bytes of its type and no others", "[unit][device_code]") {
  CHECK(words_after("st.global.u8 [%a+1], 0x1234;", {0}, 2) == std::vector<u32>{0x3400, 0});
  CHECK(words_after("st.global.u16 [%a+2], -1;", {0}, 2) == std::vector<u32>{0xFFFF0000, 0});
  CHECK(words_after("st.global.f32 [%a+4], 0f40000000;", {0}, 3) == std::vector<u32>{0, 0x40000000, 0});
  CHECK(words_after("add.s64 %rd1, %a, 12; st.global.u32 [%rd1+-4], 5;", {0}, 4) == std::vector<u32>{0, 0, 5, 0});
}

TEST_CASE("vectors are loaded and stored whole", "[unit][device_code]") {
  const std::vector<u32> b{1, 2, 3, 4};
  CHECK(words_after("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%b]; st.global.v4.u32 [%a], {%r4, %r3, %r2, %r1};", b,
                    4) == std::vector<u32>{4, 3, 2, 1});
  CHECK(words_after("ld.global.v2.u64 {%rd1, %rd2}, [%b]; st.global.v2.u64 [%a], {%rd2, %rd1};", b, 4) ==
        std::vector<u32>{3, 4, 1, 2});
  CHECK(words_after("ld.global.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [%b+4]; st.global.v4.u8 [%a], {7, %rs1, %rs2, 9};", b,
                    1) == std::vector<u32>{0x09000207});
  CHECK(words_after("ld.global.v2.f32 {_, %f1}, [%b]; st.global.f32 [%a], %f1;", b, 1) == std::vector<u32>{2});
}

TEST_CASE("cache hints change no value", "[unit][device_code]") {
  CHECK(words_after(R"(
    createpolicy.fractional.L2::evict_first.b64 %rd9, 1.0;
    ld.global.nc.L1::no_allocate.L2::cache_hint.v2.u32 {%r1, %r2}, [%b], %rd9;
    st.global.L2::cache_hint.u32 [%a], %r2, %rd9;
    ld.global.nc.L2::256B.u32 %r3, [%b];
    st.global.u32 [%a+4], %r3;)",
                    {5, 6}, 2) == std::vector<u32>{6, 5});
}

TEST_CASE("a generic address reaches global, shared, local and parameter memory", "[unit][device_code]") {
  CHECK(words_after(R"(
    .shared .align 4 .b8 shared_words[8];
    .local .align 4 .b8 local_words[8];
    mov.u64 %rd1, shared_words;
    cvta.shared.u64 %rd2, %rd1;
    st.u32 [%rd2+4], 11;
    ld.shared.u32 %r1, [shared_words+4];
    mov.u64 %rd3, local_words;
    cvta.local.u64 %rd4, %rd3;
    st.local.u32 [%rd3], 22;
    ld.u32 %r2, [%rd4];
    cvta.to.global.u64 %rd5, %b;
    ld.u32 %r3, [%rd5];
    mov.b64 %rd6, test_b;
    cvta.param.u64 %rd6, %rd6;
    ld.u64 %rd7, [%rd6];
    ld.global.u32 %r4, [%rd7+4];
    cvta.to.shared.u64 %rd8, %rd2;
    ld.shared.u32 %r5, [%rd8+4];
    cvta.global.u64 %rd9, %a;
    st.v4.u32 [%rd9], {%r1, %r2, %r3, %r4};
    st.global.u32 [%a+16], %r5;)",
                    {33, 44}, 5) == std::vector<u32>{11, 22, 33, 44, 11});
}

TEST_CASE("each thread has its own local memory, and each block its own shared memory", "[unit][device_code]") {
  TestProgram program(R"(
    .shared .b32 of_block;
    .local .b32 of_thread;
    st.local.u32 [of_thread], %thread;
    setp.eq.u32 %p1, %lane, 0;
    @%p1 st.shared.u32 [of_block], %thread;
    bar.sync 0;
    ld.local.u32 %r1, [of_thread];
    ld.shared.u32 %r2, [of_block];
    mad.lo.u32 %r1, %r2, 1000, %r1;
    st.global.u32 [%mine], %r1;)");
  program.machine.options.resident_blocks = 3;
  program.run({{3, 1, 1}, {32, 1, 1}});
  CHECK(program.faults().empty());
  CHECK(program.a[5] == 5);
  CHECK(program.a[37] == 32037);
  CHECK(program.a[95] == 64095);
}

TEST_CASE("an atomic gives the old value and stores the new one", "[unit][device_code]") {
  for (const char* const space : {"global", "shared"}) {
    CAPTURE(space);
    CHECK(changed_by(space, "add.u32", "r", 0xFFFFFFFE, "5") == Changed{0xFFFFFFFE, 3});
    CHECK(changed_by(space, "add.u64", "rd", 0xFFFFFFFF, "1") == Changed{0xFFFFFFFF, 0x100000000});
    CHECK(changed_by(space, "add.f32", "f", 0x3F800000, "0f40000000") == Changed{0x3F800000, 0x40400000});
    CHECK(changed_by(space, "add.f64", "rd", 0x3FF0000000000000, "0d3FF0000000000000") ==
          Changed{0x3FF0000000000000, 0x4000000000000000});
    CHECK(changed_by(space, "exch.b32", "r", 7, "9") == Changed{7, 9});
    CHECK(changed_by(space, "min.s32", "r", 3, "-1") == Changed{3, 0xFFFFFFFF});
    CHECK(changed_by(space, "min.u32", "r", 3, "-1") == Changed{3, 3});
    CHECK(changed_by(space, "max.s32", "r", 3, "-1") == Changed{3, 3});
    CHECK(changed_by(space, "max.u32", "r", 3, "-1") == Changed{3, 0xFFFFFFFF});
    CHECK(changed_by(space, "max.u64", "rd", 3, "%rd1") == Changed{3, 3});
    CHECK(changed_by(space, "and.b32", "r", 0xFC, "0x3F") == Changed{0xFC, 0x3C});
    CHECK(changed_by(space, "or.b32", "r", 0xF0, "0x0F") == Changed{0xF0, 0xFF});
    CHECK(changed_by(space, "xor.b32", "r", 0xFF, "0x0F") == Changed{0xFF, 0xF0});
    CHECK(changed_by(space, "cas.b32", "r", 5, "5, 8") == Changed{5, 8});
    CHECK(changed_by(space, "cas.b32", "r", 5, "6, 8") == Changed{5, 5});
    CHECK(changed_by(space, "cas.b64", "rd", 5, "5, -1") == Changed{5, ~u64{0}});
  }
}

TEST_CASE("atomics of all threads of all blocks add up", "[unit][device_code]") {
  for (const MachineOptions& options : all_orders()) {
    TestProgram program(R"(
      .shared .b32 sum;
      setp.eq.u32 %p1, %lane, 3;
      @%p1 st.shared.u32 [sum], 0;
      bar.sync 0;
      red.shared.add.u32 [sum], %lane;
      bar.sync 0;
      ld.shared.u32 %r1, [sum];
      @%p1 red.global.add.u32 [%a], %r1;
      atom.global.max.u32 _, [%a+4], %thread;
      atom.add.u32 %r3, [%a+8], 1;)");
    program.machine.options = options;
    program.run({{4, 1, 1}, {32, 1, 1}});
    CHECK(program.faults().empty());
    CHECK(first_words(program.a, 3) == std::vector<u32>{4 * 31 * 16, 127, 128});
  }
}
