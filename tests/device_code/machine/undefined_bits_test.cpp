// How undefined bits spread through instructions.
#include "catch.hpp"
#include "test_program.hpp"

using namespace device_code;

TEST_CASE("logic keeps the undefined bits that can matter", "[unit][device_code]") {
  CHECK(undefined_bits_of("and.b32 %r0, %r1, %r2", {0, 0x0F}, {0xFF, 0}) == 0x0F);
  CHECK(undefined_bits_of("and.b32 %r0, %r1, 15", {0}, {0xF0}) == 0);
  CHECK(undefined_bits_of("or.b32 %r0, %r1, %r2", {0, 0x0F}, {0xFF, 0}) == 0xF0);
  CHECK(undefined_bits_of("xor.b32 %r0, %r1, %r2", {0, 0}, {0xF0, 0x0F}) == 0xFF);
  CHECK(undefined_bits_of("not.b64 %rd0, %rd1", {0}, {u64{1} << 63}) == u64{1} << 63);
  CHECK(undefined_bits_of("and.b16 %rs0, %rs1, %rs2", {0, 0}, {0xF0, 0x3C}) == 0x30);
}

TEST_CASE("undefined predicates are combined lane by lane", "[unit][device_code]") {
  CHECK(undefined_bits_of("and.pred %p0, %p1, %p2", {0, 0}, {1, 0}) == 0);
  CHECK(undefined_bits_of("and.pred %p0, %p1, %p2", {0, 1}, {1, 0}) == 1);
  CHECK(undefined_bits_of("or.pred %p0, %p1, %p2", {0, 1}, {1, 0}) == 0);
  CHECK(undefined_bits_of("or.pred %p0, %p1, %p2", {0, 0}, {1, 0}) == 1);
  CHECK(undefined_bits_of("xor.pred %p0, %p1, %p2", {0, 0}, {1, 0}) == 1);
  CHECK(undefined_bits_of("not.pred %p0, %p1", {0}, {1}) == 1);
}

TEST_CASE("shifts and permutations move undefined bits", "[unit][device_code]") {
  CHECK(undefined_bits_of("shl.b32 %r0, %r1, 4", {0}, {0xF000000F}) == 0xF0);
  CHECK(undefined_bits_of("shl.b32 %r0, %r1, 32", {0}, {0xFFFFFFFF}) == 0);
  CHECK(undefined_bits_of("shr.u32 %r0, %r1, 4", {0}, {0xF000000F}) == 0x0F000000);
  CHECK(undefined_bits_of("shr.s32 %r0, %r1, 4", {0}, {0x80000000}) == 0xF8000000);
  CHECK(undefined_bits_of("shr.u32 %r0, %r1, %r2", {0, 0}, {0, 1}) == 0xFFFFFFFF);
  CHECK(undefined_bits_of("prmt.b32 %r0, %r1, %r2, 0x5410", {0, 0}, {0xFF, 0xFF00}) == 0xFF0000FF);
  CHECK(undefined_bits_of("prmt.b32 %r0, %r1, %r2, 0x3333", {0, 0}, {0x00FFFFFF, 0xFFFFFFFF}) == 0);
  CHECK(undefined_bits_of("prmt.b32 %r0, %r1, %r2, 0xBBBB", {0, 0}, {0x80000000, 0}) == 0xFFFFFFFF);
  CHECK(undefined_bits_of("prmt.b32 %r0, %r1, %r2, %r3", {0, 0, 0}, {0, 0, 1}) == 0xFFFFFFFF);
  CHECK(undefined_bits_of("shf.r.wrap.b32 %r0, %r1, %r2, 8", {0, 0}, {0xFF, 0xFF}) == 0xFF000000);
  CHECK(undefined_bits_of("lop3.b32 %r0, %r1, %r2, %r3, 0xCA", {0xFF00, 0, 0}, {0, 0xF0F0, 0x0F0F}) == 0xF00F);
  CHECK(undefined_bits_of("lop3.b32 %r0, %r1, %r2, %r3, 0xCA", {0, 0x33, 0x55}, {0xFF, 0, 0}) == 0x66);
  CHECK(undefined_bits_of("bfi.b32 %r0, %r1, %r2, 8, 8", {0, 0}, {0xF0F, 0xFFFF}) == 0x0FFF);
  CHECK(undefined_bits_of("bfe.u32 %r0, %r1, 8, 8", {0}, {1}) == 0xFFFFFFFF);
}

TEST_CASE("sums and products pass undefined bits upward", "[unit][device_code]") {
  CHECK(undefined_bits_of("add.u32 %r0, %r1, %r2", {0, 0}, {0x100, 0}) == 0xFFFFFF00);
  CHECK(undefined_bits_of("sub.u16 %rs0, %rs1, %rs2", {0, 0}, {0, 0x10}) == 0xFFF0);
  CHECK(undefined_bits_of("neg.s32 %r0, %r1", {0}, {0x8000}) == 0xFFFF8000);
  CHECK(undefined_bits_of("mul.lo.u32 %r0, %r1, %r2", {0, 1}, {0x10, 0}) == 0xFFFFFFF0);
  CHECK(undefined_bits_of("mul.lo.u32 %r0, %r1, %r2", {0, 0}, {0xFFFFFFFF, 0}) == 0);
  CHECK(undefined_bits_of("mul.hi.u32 %r0, %r1, %r2", {0, 1}, {0x10, 0}) == 0xFFFFFFFF);
  CHECK(undefined_bits_of("mad.lo.u32 %r0, %r1, %r2, %r3", {0, 0, 0}, {0, 0, 2}) == 0xFFFFFFFE);
  CHECK(undefined_bits_of("add.f32 %f0, %f1, %f2", {0, 0}, {1, 0}) == 0xFFFFFFFF);
  CHECK(undefined_bits_of("fma.rn.f64 %fd0, %fd1, %fd2, %fd3", {0, 0, 0}, {0, 0, 1}) == ~u64{0});
  CHECK(undefined_bits_of("dp4a.u32.u32 %r0, %r1, %r2, %r3", {0, 0, 0}, {1, 0, 0}) == 0xFFFFFFFF);
  CHECK(undefined_bits_of("dp2a.lo.u32.u32 %r0, %r1, %r2, %r3", {0, 0, 0}, {0, 0x10000, 0}) == 0);
  CHECK(undefined_bits_of("dp2a.hi.u32.u32 %r0, %r1, %r2, %r3", {0, 0, 0}, {0, 0x10000, 0}) == 0xFFFFFFFF);
}

TEST_CASE("a selection has the undefined bits of what it selects", "[unit][device_code]") {
  CHECK(undefined_bits_of("selp.b32 %r0, %r1, %r2, %p3", {0, 0, 1}, {0xF0, 0x0F, 0}) == 0xF0);
  CHECK(undefined_bits_of("selp.b32 %r0, %r1, %r2, %p3", {0, 0, 0}, {0xF0, 0x0F, 0}) == 0x0F);
  CHECK(undefined_bits_of("selp.b32 %r0, %r1, %r2, %p3", {7, 9, 0}, {0, 0, 1}) == 0xFFFFFFFF);
  CHECK(undefined_bits_of("selp.b32 %r0, %r1, %r2, %p3", {7, 7, 0}, {0, 0, 1}) == 0);
}

TEST_CASE("an equality is defined where a defined bit differs", "[unit][device_code]") {
  CHECK(undefined_bits_of("setp.eq.u32 %p0, %r1, %r2", {0x100, 0}, {0xFF, 0}) == 0);
  CHECK(undefined_bits_of("setp.ne.u32 %p0, %r1, %r2", {0, 0}, {0xFF, 0}) == 1);
  CHECK(undefined_bits_of("setp.lt.u32 %p0, %r1, %r2", {0, 0}, {1, 0}) == 1);
  CHECK(undefined_bits_of("setp.eq.f32 %p0, %f1, %f2", {0x100, 0}, {0xFF, 0}) == 1);
}

TEST_CASE("conversions between integers keep each bit, others mix them", "[unit][device_code]") {
  CHECK(undefined_bits_of("cvt.u64.u32 %rd0, %r1", {0}, {0x80000001}) == 0x80000001);
  CHECK(undefined_bits_of("cvt.s64.s32 %rd0, %r1", {0}, {0x80000001}) == 0xFFFFFFFF80000001);
  CHECK(undefined_bits_of("cvt.u32.u8 %r0, %r1", {0}, {0xFF00}) == 0);
  CHECK(undefined_bits_of("cvt.u8.u32 %r0, %r1", {0}, {0x0180}) == 0x80);
  CHECK(undefined_bits_of("cvt.s8.u32 %r0, %r1", {0}, {0x80}) == 0xFFFFFF80);
  CHECK(undefined_bits_of("cvt.rn.f32.u32 %f0, %r1", {0}, {1}) == 0xFFFFFFFF);
}

TEST_CASE("a conversion to a pair mixes the bits of each half", "[unit][device_code]") {
  CHECK(undefined_bits_of("cvt.rn.f16x2.f32 %r0, %f1, %f2", {0, 0}, {0, 1}) == 0xFFFF);
  CHECK(undefined_bits_of("cvt.rn.bf16x2.f32 %r0, %f1, %f2", {0, 0}, {1, 0}) == 0xFFFF0000);
  CHECK(undefined_bits_of("cvt.rn.f16x2.f32 %r0, %f1, %f2", {0, 0}, {1, 1}) == 0xFFFFFFFF);
}

TEST_CASE("moves keep undefined bits at their places", "[unit][device_code]") {
  CHECK(undefined_bits_of("mov.b64 %rd0, %rd1", {0}, {0x123}) == 0x123);
  CHECK(undefined_bits_of("mov.b32 %r0, {%rs1, %rs2}", {0, 0}, {0x1, 0x3}) == 0x00030001);
  CHECK(undefined_bits_of("mov.b32 {_, %rs0}, %r1", {0}, {0x0030FFFF}) == 0x30);
}

TEST_CASE("a register that was never set is undefined", "[unit][device_code]") {
  CHECK(undefined_bits_of("add.u32 %r0, %r1, %r7", {0}, {}) == 0xFFFFFFFF);
  CHECK(undefined_bits_of("and.b32 %r0, %r7, 255", {}, {}) == 0xFF);
  CHECK(undefined_bits_of("xor.b32 %r0, %r7, %r7", {}, {}) == 0xFFFFFFFF);
}

TEST_CASE("shared and local memory are undefined until they are stored to", "[unit][device_code]") {
  CHECK(faults_of(".shared .b32 word; ld.shared.u32 %r1, [word]; st.global.u32 [%mine], %r1;") ==
        "undefined value stored");
  CHECK(faults_of(".local .b32 word; ld.local.u32 %r1, [word]; st.global.u32 [%mine], %r1;") ==
        "undefined value stored");
  CHECK(faults_of(R"(
    .local .align 4 .b8 bytes[8];
    st.local.u8 [bytes+1], 7;
    ld.local.u32 %r1, [bytes];
    bfi.b32 %r2, %r1, 0, 0, 0;
    shr.u32 %r1, %r1, 8;
    and.b32 %r1, %r1, 255;
    st.global.u32 [%mine], %r1;)")
            .empty());
}

TEST_CASE("an undefined value may be moved, stored to shared memory and computed with", "[unit][device_code]") {
  const std::string head = R"(
    .shared .align 4 .b8 words[128];
    mad.lo.u32 %r1, %lane, 4, words;
    setp.lt.u32 %p1, %lane, 16;
    @%p1 mov.u32 %r2, %lane;
    st.shared.u32 [%r1], %r2;
    bar.warp.sync 0xFFFFFFFF;
    ld.shared.u32 %r3, [%r1];
    add.u32 %r3, %r3, 1;)";
  CHECK(faults_of(head + "@%p1 st.global.u32 [%mine], %r3;").empty());
  CHECK(faults_of(head + "st.global.u32 [%mine], %r3;") == "undefined value stored");
}

TEST_CASE("shuffles carry undefined bits", "[unit][device_code]") {
  const std::string head = R"(
    setp.lt.u32 %p1, %lane, 16;
    @%p1 mov.u32 %r2, %lane;
    and.b32 %r3, %lane, 15;
    shfl.sync.idx.b32 %r4, %r2, )";
  CHECK(faults_of(head + "%r3, 31, -1; st.global.u32 [%mine], %r4;").empty());
  CHECK(faults_of(head + "%lane, 31, -1; st.global.u32 [%mine], %r4;") == "undefined value stored");
}
