// Instructions on integers and bits, each against values worked out by hand.
#include "catch.hpp"
#include "test_program.hpp"

using namespace device_code;

TEST_CASE("sums and differences of integers wrap at their width", "[unit][device_code]") {
  CHECK(result_of("add.s16 %rs0, %rs1, %rs2", {0x7FFF, 1}) == 0x8000);
  CHECK(result_of("add.u16 %rs0, %rs1, %rs2", {0xFFFF, 2}) == 1);
  CHECK(result_of("add.s32 %r0, %r1, %r2", {0xFFFFFFFF, 2}) == 1);
  CHECK(result_of("add.u32 %r0, %r1, -3", {2}) == 0xFFFFFFFF);
  CHECK(result_of("add.s64 %rd0, %rd1, %rd2", {0xFFFFFFFF, 1}) == 0x100000000);
  CHECK(result_of("add.u64 %rd0, %rd1, %rd2", {~u64{0}, 3}) == 2);
  CHECK(result_of("sub.s16 %rs0, %rs1, %rs2", {0, 1}) == 0xFFFF);
  CHECK(result_of("sub.u32 %r0, %r1, %r2", {3, 5}) == 0xFFFFFFFE);
  CHECK(result_of("sub.s64 %rd0, %rd1, %rd2", {0, 1}) == ~u64{0});
}

TEST_CASE("negation and absolute value of the most negative integer keep it", "[unit][device_code]") {
  CHECK(result_of("neg.s16 %rs0, %rs1", {5}) == 0xFFFB);
  CHECK(result_of("neg.s32 %r0, %r1", {0x80000000}) == 0x80000000);
  CHECK(result_of("neg.s64 %rd0, %rd1", {1}) == ~u64{0});
  CHECK(result_of("abs.s16 %rs0, %rs1", {0xFFFE}) == 2);
  CHECK(result_of("abs.s32 %r0, %r1", {0xFFFFFFF9}) == 7);
  CHECK(result_of("abs.s32 %r0, %r1", {0x80000000}) == 0x80000000);
  CHECK(result_of("abs.s64 %rd0, %rd1", {~u64{0}}) == 1);
}

TEST_CASE("a product is given by its low part, its high part or whole", "[unit][device_code]") {
  CHECK(result_of("mul.lo.s16 %rs0, %rs1, %rs2", {0x1234, 0x100}) == 0x3400);
  CHECK(result_of("mul.lo.s32 %r0, %r1, %r2", {0x10001, 0x10001}) == 0x20001);
  CHECK(result_of("mul.lo.u64 %rd0, %rd1, %rd2", {0x100000001, 0x100000001}) == 0x200000001);
  // 0xFFFF is 65535 unsigned, with the square 0xFFFE0001, and -1 signed.
  CHECK(result_of("mul.hi.u16 %rs0, %rs1, %rs2", {0xFFFF, 0xFFFF}) == 0xFFFE);
  CHECK(result_of("mul.hi.s16 %rs0, %rs1, %rs2", {0xFFFF, 0xFFFF}) == 0);
  CHECK(result_of("mul.hi.u32 %r0, %r1, %r2", {0xFFFFFFFF, 0xFFFFFFFF}) == 0xFFFFFFFE);
  CHECK(result_of("mul.hi.s32 %r0, %r1, %r2", {0xFFFFFFFF, 2}) == 0xFFFFFFFF);
  CHECK(result_of("mul.hi.u64 %rd0, %rd1, %rd2", {~u64{0}, ~u64{0}}) == ~u64{0} - 1);
  CHECK(result_of("mul.hi.s64 %rd0, %rd1, %rd2", {u64{1} << 63, 4}) == ~u64{0} - 1);
  CHECK(result_of("mul.wide.u16 %r0, %rs1, %rs2", {0xFFFF, 0xFFFF}) == 0xFFFE0001);
  CHECK(result_of("mul.wide.s16 %r0, %rs1, %rs2", {0xFFFF, 3}) == 0xFFFFFFFD);
  CHECK(result_of("mul.wide.u32 %rd0, %r1, %r2", {0xFFFFFFFF, 2}) == 0x1FFFFFFFE);
  CHECK(result_of("mul.wide.s32 %rd0, %r1, %r2", {0xFFFFFFFF, 2}) == ~u64{0} - 1);
}

TEST_CASE("mad adds to the part of a product", "[unit][device_code]") {
  CHECK(result_of("mad.lo.s16 %rs0, %rs1, %rs2, %rs3", {0x100, 0x100, 7}) == 7);
  CHECK(result_of("mad.lo.u32 %r0, %r1, %r2, %r3", {0xFFFFFFFF, 3, 5}) == 2);
  CHECK(result_of("mad.hi.u32 %r0, %r1, %r2, %r3", {0x80000000, 6, 10}) == 13);
  CHECK(result_of("mad.hi.s32 %r0, %r1, %r2, %r3", {0x80000000, 6, 10}) == 7);
  CHECK(result_of("mad.lo.s64 %rd0, %rd1, %rd2, %rd3", {0x100000000, 0x100000001, 1}) == 0x100000001);
  CHECK(result_of("mad.wide.u16 %r0, %rs1, %rs2, %r3", {0xFFFF, 0xFFFF, 0x10000}) == 0xFFFF0001);
  CHECK(result_of("mad.wide.s16 %r0, %rs1, %rs2, %r3", {0xFFFF, 1, 1}) == 0);
  CHECK(result_of("mad.wide.u32 %rd0, %r1, %r2, %rd3", {0xFFFFFFFF, 0xFFFFFFFF, 1}) == 0xFFFFFFFE00000002);
  CHECK(result_of("mad.wide.s32 %rd0, %r1, 4, %rd3", {0xFFFFFFFE, 0, 100}) == 92);
}

TEST_CASE("division rounds toward zero, and the remainder has the sign of the dividend", "[unit][device_code]") {
  CHECK(result_of("div.u16 %rs0, %rs1, %rs2", {0xFFFF, 10}) == 6553);
  CHECK(result_of("div.s16 %rs0, %rs1, %rs2", {0xFFF9, 2}) == 0xFFFD);
  CHECK(result_of("div.u32 %r0, %r1, %r2", {0xFFFFFFF9, 2}) == 0x7FFFFFFC);
  CHECK(result_of("div.s32 %r0, %r1, %r2", {0xFFFFFFF9, 2}) == 0xFFFFFFFD);
  CHECK(result_of("div.s32 %r0, %r1, %r2", {0x80000000, 0xFFFFFFFF}) == 0x80000000);
  CHECK(result_of("div.u64 %rd0, %rd1, %rd2", {~u64{0}, 0x100000000}) == 0xFFFFFFFF);
  CHECK(result_of("div.s64 %rd0, %rd1, %rd2", {u64{1} << 63, ~u64{0}}) == u64{1} << 63);
  CHECK(result_of("rem.u16 %rs0, %rs1, %rs2", {0xFFFF, 10}) == 5);
  CHECK(result_of("rem.s32 %r0, %r1, %r2", {0xFFFFFFF9, 2}) == 0xFFFFFFFF);
  CHECK(result_of("rem.s32 %r0, %r1, %r2", {7, 0xFFFFFFFD}) == 1);
  CHECK(result_of("rem.s32 %r0, %r1, %r2", {0x80000000, 0xFFFFFFFF}) == 0);
  CHECK(result_of("rem.u64 %rd0, %rd1, %rd2", {0x100000005, 0x100000000}) == 5);
  CHECK(result_of("rem.s64 %rd0, %rd1, %rd2", {~u64{0} - 6, 4}) == ~u64{0} - 2);
}

TEST_CASE("the smaller and the larger integer depend on the sign", "[unit][device_code]") {
  CHECK(result_of("min.s16 %rs0, %rs1, %rs2", {0xFFFF, 1}) == 0xFFFF);
  CHECK(result_of("min.u16 %rs0, %rs1, %rs2", {0xFFFF, 1}) == 1);
  CHECK(result_of("max.s32 %r0, %r1, %r2", {0x80000000, 1}) == 1);
  CHECK(result_of("max.u32 %r0, %r1, %r2", {0x80000000, 1}) == 0x80000000);
  CHECK(result_of("min.s32 %r0, %r1, -5", {3}) == 0xFFFFFFFB);
  CHECK(result_of("min.u64 %rd0, %rd1, %rd2", {~u64{0}, 1}) == 1);
  CHECK(result_of("max.s64 %rd0, %rd1, %rd2", {~u64{0}, 1}) == 1);
}

TEST_CASE("logic works bit by bit", "[unit][device_code]") {
  CHECK(result_of("and.b16 %rs0, %rs1, %rs2", {0xF0F0, 0xFF00}) == 0xF000);
  CHECK(result_of("or.b32 %r0, %r1, %r2", {0xF0F0F0F0, 0x0000FFFF}) == 0xF0F0FFFF);
  CHECK(result_of("xor.b64 %rd0, %rd1, %rd2", {0xFF00FF00FF00FF00, 0xFFFFFFFF00000000}) == 0x00FF00FFFF00FF00);
  CHECK(result_of("not.b16 %rs0, %rs1", {0x00FF}) == 0xFF00);
  CHECK(result_of("not.b32 %r0, %r1", {0x0F0F0F0F}) == 0xF0F0F0F0);
  CHECK(result_of("not.b64 %rd0, %rd1", {0}) == ~u64{0});
  CHECK(result_of("and.pred %p0, %p1, %p2", {1, 1}) == 1);
  CHECK(result_of("and.pred %p0, %p1, %p2", {1, 0}) == 0);
  CHECK(result_of("or.pred %p0, %p1, %p2", {0, 1}) == 1);
  CHECK(result_of("or.pred %p0, %p1, %p2", {0, 0}) == 0);
  CHECK(result_of("xor.pred %p0, %p1, %p2", {1, 1}) == 0);
  CHECK(result_of("xor.pred %p0, %p1, %p2", {1, 0}) == 1);
  CHECK(result_of("not.pred %p0, %p1", {0}) == 1);
  CHECK(result_of("mov.pred %p0, %p1", {1}) == 1);
  CHECK(result_of("mov.pred %p0, -1", {}) == 1);
  CHECK(result_of("mov.pred %p0, 0", {}) == 0);
}

TEST_CASE("shifts by the width or more leave zeros, or signs", "[unit][device_code]") {
  CHECK(result_of("shl.b16 %rs0, %rs1, %r2", {0x1234, 4}) == 0x2340);
  CHECK(result_of("shl.b16 %rs0, %rs1, %r2", {1, 16}) == 0);
  CHECK(result_of("shl.b32 %r0, %r1, %r2", {1, 31}) == 0x80000000);
  CHECK(result_of("shl.b32 %r0, %r1, %r2", {1, 32}) == 0);
  CHECK(result_of("shl.b32 %r0, %r1, %r2", {1, 0xFFFFFFFF}) == 0);
  CHECK(result_of("shl.b64 %rd0, %rd1, %r2", {1, 63}) == u64{1} << 63);
  CHECK(result_of("shl.b64 %rd0, %rd1, %r2", {1, 64}) == 0);
  CHECK(result_of("shr.u16 %rs0, %rs1, %r2", {0x8000, 15}) == 1);
  CHECK(result_of("shr.s16 %rs0, %rs1, %r2", {0x8000, 15}) == 0xFFFF);
  CHECK(result_of("shr.u32 %r0, %r1, %r2", {0x80000000, 31}) == 1);
  CHECK(result_of("shr.b32 %r0, %r1, %r2", {0x80000000, 4}) == 0x08000000);
  CHECK(result_of("shr.u32 %r0, %r1, %r2", {0x80000000, 32}) == 0);
  CHECK(result_of("shr.s32 %r0, %r1, %r2", {0x80000000, 4}) == 0xF8000000);
  CHECK(result_of("shr.s32 %r0, %r1, %r2", {0x80000000, 100}) == 0xFFFFFFFF);
  CHECK(result_of("shr.s32 %r0, %r1, %r2", {0x7FFFFFFF, 100}) == 0);
  CHECK(result_of("shr.u64 %rd0, %rd1, %r2", {~u64{0}, 60}) == 15);
  CHECK(result_of("shr.s64 %rd0, %rd1, %r2", {u64{1} << 63, 64}) == ~u64{0});
}

TEST_CASE("shf shifts two words, by a count that wraps or is clamped", "[unit][device_code]") {
  // b:a is 0x89ABCDEF01234567.
  const std::vector<u64> words{0x01234567, 0x89ABCDEF};
  const auto shifted = [&](const std::string& modifiers, u64 count) {
    return result_of("shf." + modifiers + ".b32 %r0, %r1, %r2, %r3", {words[0], words[1], count});
  };
  CHECK(shifted("l.wrap", 8) == 0xABCDEF01);
  CHECK(shifted("r.wrap", 8) == 0xEF012345);
  CHECK(shifted("l.wrap", 0) == 0x89ABCDEF);
  CHECK(shifted("r.wrap", 0) == 0x01234567);
  CHECK(shifted("l.wrap", 40) == 0xABCDEF01);
  CHECK(shifted("r.wrap", 32) == 0x01234567);
  CHECK(shifted("l.clamp", 40) == 0x01234567);
  CHECK(shifted("r.clamp", 40) == 0x89ABCDEF);
}

TEST_CASE("bfe extracts a field, and repeats its sign", "[unit][device_code]") {
  CHECK(result_of("bfe.u32 %r0, %r1, %r2, %r3", {0x12345678, 8, 12}) == 0x456);
  CHECK(result_of("bfe.s32 %r0, %r1, %r2, %r3", {0x12345678, 8, 7}) == 0xFFFFFFD6);  // 1010110
  CHECK(result_of("bfe.s32 %r0, %r1, %r2, %r3", {0x12345678, 8, 8}) == 0x56);
  CHECK(result_of("bfe.u32 %r0, %r1, %r2, %r3", {0x12345678, 8, 0}) == 0);
  CHECK(result_of("bfe.s32 %r0, %r1, %r2, %r3", {0xFFFFFFFF, 8, 0}) == 0);
  // Beyond the highest bit are zeros, or copies of it.
  CHECK(result_of("bfe.u32 %r0, %r1, %r2, %r3", {0xF0000000, 28, 8}) == 0xF);
  CHECK(result_of("bfe.s32 %r0, %r1, %r2, %r3", {0x80000000, 28, 8}) == 0xFFFFFFF8);
  CHECK(result_of("bfe.s32 %r0, %r1, %r2, %r3", {0x80000000, 40, 4}) == 0xFFFFFFFF);
  CHECK(result_of("bfe.u32 %r0, %r1, %r2, %r3", {0x80000000, 40, 4}) == 0);
  // The position and the length are bytes.
  CHECK(result_of("bfe.u32 %r0, %r1, %r2, %r3", {0x12345678, 0x104, 0x108}) == 0x67);
  CHECK(result_of("bfe.u64 %rd0, %rd1, %r2, %r3", {0x123456789ABCDEF0, 32, 16}) == 0x5678);
  CHECK(result_of("bfe.s64 %rd0, %rd1, %r2, %r3", {0x123456789ABCDEF0, 16, 16}) == 0xFFFFFFFFFFFF9ABC);
}

TEST_CASE("bfi inserts a field", "[unit][device_code]") {
  CHECK(result_of("bfi.b32 %r0, %r1, %r2, %r3, %r4", {0xABCD, 0x11111111, 8, 8}) == 0x1111CD11);
  CHECK(result_of("bfi.b32 %r0, %r1, %r2, %r3, %r4", {0xFF, 0, 28, 8}) == 0xF0000000);
  CHECK(result_of("bfi.b32 %r0, %r1, %r2, %r3, %r4", {0xFF, 0x12345678, 32, 8}) == 0x12345678);
  CHECK(result_of("bfi.b32 %r0, %r1, %r2, %r3, %r4", {0xFF, 0x12345678, 4, 0}) == 0x12345678);
  CHECK(result_of("bfi.b64 %rd0, %rd1, %rd2, %r3, %r4", {0xFF, 0, 60, 8}) == 0xF000000000000000);
}

TEST_CASE("lop3 looks bits up in a table of eight", "[unit][device_code]") {
  const auto looked_up = [](const std::string& table) {
    return result_of("lop3.b32 %r0, %r1, %r2, %r3, " + table, {0xFFFF0000, 0xFF00FF00, 0xF0F0F0F0});
  };
  CHECK(looked_up("0xF0") == 0xFFFF0000);
  CHECK(looked_up("0xCC") == 0xFF00FF00);
  CHECK(looked_up("0xAA") == 0xF0F0F0F0);
  CHECK(looked_up("0x80") == 0xF0000000);
  CHECK(looked_up("0xFE") == 0xFFFFFFF0);
  CHECK(looked_up("0x96") == (0xFFFF0000 ^ 0xFF00FF00 ^ 0xF0F0F0F0));
  CHECK(looked_up("0xCA") == 0xFF00F0F0);  // the second operand where the first one is set, else the third
}

TEST_CASE("bmsk sets a range of bits", "[unit][device_code]") {
  const auto mask = [](const std::string& mode, std::uint32_t position, std::uint32_t length) {
    return result_of("bmsk." + mode + ".b32 %r0, %r1, %r2", {position, length});
  };
  CHECK(mask("clamp", 0, 5) == 0x1F);
  CHECK(mask("clamp", 4, 8) == 0xFF0);
  CHECK(mask("clamp", 28, 8) == 0xF0000000);
  CHECK(mask("clamp", 0, 32) == 0xFFFFFFFF);
  CHECK(mask("clamp", 0, 40) == 0xFFFFFFFF);
  CHECK(mask("clamp", 0xFFFFFFFF, 1) == 0);
  CHECK(mask("clamp", 7, 0) == 0);
  CHECK(mask("wrap", 33, 34) == 6);
}

TEST_CASE("prmt picks bytes, or repeats their signs", "[unit][device_code]") {
  const auto permuted = [](u64 selector) {
    // The bytes 0 to 7, from the lowest: 44 33 22 81 88 77 66 55.
    return result_of("prmt.b32 %r0, %r1, %r2, %r3", {0x81223344, 0x55667788, selector});
  };
  CHECK(permuted(0x3210) == 0x81223344);
  CHECK(permuted(0x7654) == 0x55667788);
  CHECK(permuted(0x0123) == 0x44332281);
  CHECK(permuted(0x5410) == 0x77883344);
  CHECK(permuted(0xBBB3) == 0xFFFFFF81);
  CHECK(permuted(0xAAA2) == 0x00000022);
}

TEST_CASE("bits are counted and reversed", "[unit][device_code]") {
  CHECK(result_of("clz.b32 %r0, %r1", {0x00010000}) == 15);
  CHECK(result_of("clz.b32 %r0, %r1", {0}) == 32);
  CHECK(result_of("clz.b64 %r0, %rd1", {0x00010000}) == 47);
  CHECK(result_of("clz.b64 %r0, %rd1", {0}) == 64);
  CHECK(result_of("popc.b32 %r0, %r1", {0xF00F0001}) == 9);
  CHECK(result_of("popc.b64 %r0, %rd1", {~u64{0}}) == 64);
  CHECK(result_of("brev.b32 %r0, %r1", {0x80000003}) == 0xC0000001);
  CHECK(result_of("brev.b64 %rd0, %rd1", {1}) == u64{1} << 63);
}

TEST_CASE("dp4a adds four products of bytes", "[unit][device_code]") {
  // Bytes from the lowest: 1 2 3 255 or -1, and 10 20 30 255 or -1.
  const std::vector<u64> operands{0xFF030201, 0xFF1E140A, 1000};
  // 10 + 40 + 90 = 140
  CHECK(result_of("dp4a.u32.u32 %r0, %r1, %r2, %r3", operands) == 1140 + 255 * 255);
  CHECK(result_of("dp4a.s32.s32 %r0, %r1, %r2, %r3", operands) == 1141);
  CHECK(result_of("dp4a.s32.u32 %r0, %r1, %r2, %r3", operands) == 1140 - 255);
  CHECK(result_of("dp4a.u32.s32 %r0, %r1, %r2, %r3", operands) == 1140 - 255);
  CHECK(result_of("dp4a.s32.s32 %r0, %r1, %r2, %r3", {0x80, 1, 0}) == 0xFFFFFF80);
}

TEST_CASE("dp2a adds two products of half words and bytes", "[unit][device_code]") {
  // Half words from the lowest: 1000 and 65535 or -1; bytes: 2 255 3 4.
  const std::vector<u64> operands{0xFFFF03E8, 0x0403FF02, 5};
  CHECK(result_of("dp2a.lo.u32.u32 %r0, %r1, %r2, %r3", operands) == 2005 + 65535 * 255);
  CHECK(result_of("dp2a.lo.s32.s32 %r0, %r1, %r2, %r3", operands) == 2006);
  CHECK(result_of("dp2a.hi.s32.u32 %r0, %r1, %r2, %r3", operands) == 3001);
  CHECK(result_of("dp2a.hi.u32.u32 %r0, %r1, %r2, %r3", operands) == 3005 + 65535 * 4);
}

TEST_CASE("integers are compared by their sign and width", "[unit][device_code]") {
  const auto is = [](const std::string& comparison, const std::string& registers, u64 a, u64 b) {
    return result_of("setp." + comparison + " %p0, %" + registers + "1, %" + registers + "2", {a, b}) == 1;
  };
  CHECK(is("eq.s16", "rs", 5, 5));
  CHECK_FALSE(is("eq.b32", "r", 5, 6));
  CHECK(is("ne.b64", "rd", 5, 0x100000005));
  CHECK(is("lt.s32", "r", 0xFFFFFFFF, 0));
  CHECK_FALSE(is("lt.u32", "r", 0xFFFFFFFF, 0));
  CHECK(is("le.s16", "rs", 0x8000, 0x8000));
  CHECK(is("gt.u16", "rs", 0x8000, 1));
  CHECK_FALSE(is("gt.s16", "rs", 0x8000, 1));
  CHECK(is("ge.s64", "rd", 0, ~u64{0}));
  CHECK_FALSE(is("ge.u64", "rd", 0, ~u64{0}));
  CHECK(is("lo.u32", "r", 1, 0xFFFFFFFF));
  CHECK(is("ls.u32", "r", 1, 1));
  CHECK(is("hi.u32", "r", 0xFFFFFFFF, 1));
  CHECK(is("hs.u32", "r", 1, 1));
  CHECK_FALSE(is("hi.u32", "r", 1, 1));
}

TEST_CASE("a comparison can give its opposite too", "[unit][device_code]") {
  TestProgram program(R"(
    setp.lt.u32 %p1|%p2, %lane, 7;
    @%p1 st.global.u32 [%mine], 100;
    @%p2 st.global.u32 [%mine], 200;)");
  program.run();
  CHECK(program.a[6] == 100);
  CHECK(program.a[7] == 200);
}

TEST_CASE("selp selects by a predicate", "[unit][device_code]") {
  CHECK(result_of("selp.b16 %rs0, %rs1, %rs2, %p3", {7, 9, 1}) == 7);
  CHECK(result_of("selp.b32 %r0, %r1, %r2, %p3", {7, 9, 0}) == 9);
  CHECK(result_of("selp.f64 %fd0, %fd1, %fd2, %p3", {7, 9, 1}) == 7);
  CHECK(result_of("selp.u64 %rd0, %rd1, -1, %p2", {7, 0}) == ~u64{0});
}

TEST_CASE("mov copies, packs and unpacks", "[unit][device_code]") {
  CHECK(result_of("mov.b16 %rs0, %rs1", {0x1234}) == 0x1234);
  CHECK(result_of("mov.u32 %r0, -2", {}) == 0xFFFFFFFE);
  CHECK(result_of("mov.f32 %f0, 0f3F800000", {}) == 0x3F800000);
  CHECK(result_of("mov.f64 %fd0, 0d3FF0000000000000", {}) == 0x3FF0000000000000);
  CHECK(result_of("mov.b32 %r0, {%rs1, %rs2}", {0x1234, 0x5678}) == 0x56781234);
  CHECK(result_of("mov.b64 %rd0, {%r1, %r2}", {0x12345678, 0x9ABCDEF0}) == 0x9ABCDEF012345678);
  CHECK(result_of("mov.b64 %rd0, {%rs1, %rs2, %rs3, %rs4}", {1, 2, 3, 4}) == 0x0004000300020001);
  CHECK(result_of("mov.b32 {%rs0, %rs5}, %r1", {0x56781234}) == 0x1234);
  CHECK(result_of("mov.b32 {_, %rs0}, %r1", {0x56781234}) == 0x5678);
  CHECK(result_of("mov.b64 {%r5, %r0}, %rd1", {0x9ABCDEF012345678}) == 0x9ABCDEF0);
}
