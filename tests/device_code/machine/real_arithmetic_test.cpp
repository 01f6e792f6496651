// Instructions on float32 and float64, each against bits worked out by hand.
#include <limits>

#include "catch.hpp"
#include "test_program.hpp"

using namespace device_code;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr u64 kNaNBits = 0x7FC00000, kDeviceNaN = 0x7FFFFFFF;  // the NaN that arithmetic makes
constexpr u64 kMinusZero = 0x80000000, kSmallest = 1;      // 2^-149
constexpr double kUlp = 0x1p-23;                           // of float32 at 1

u64 real_result(const std::string& instruction, const std::vector<float>& operands) {
  std::vector<u64> words;
  for (const float operand : operands) words.push_back(bits(operand));
  return result_of(instruction, words);
}
u64 double_result(const std::string& instruction, const std::vector<double>& operands) {
  std::vector<u64> words;
  for (const double operand : operands) words.push_back(bits(operand));
  return result_of(instruction, words);
}

}  // namespace

TEST_CASE("sums and products are rounded as the instruction says", "[unit][device_code]") {
  // 2^-24 is half a unit in the last place of 1.
  const std::vector<float> up{1.0f, 0x1p-24f}, odd{1.0f + static_cast<float>(kUlp), 0x1p-24f};
  CHECK(real_result("add.f32 %f0, %f1, %f2", up) == bits(1.0f));
  CHECK(real_result("add.rn.f32 %f0, %f1, %f2", odd) == bits(static_cast<float>(1 + 2 * kUlp)));
  CHECK(real_result("add.rz.f32 %f0, %f1, %f2", odd) == bits(odd[0]));
  CHECK(real_result("add.rp.f32 %f0, %f1, %f2", up) == bits(static_cast<float>(1 + kUlp)));
  CHECK(real_result("add.rm.f32 %f0, %f1, %f2", odd) == bits(odd[0]));
  CHECK(real_result("sub.rm.f32 %f0, %f1, %f2", {-1.0f, 0x1p-24f}) == bits(static_cast<float>(-1 - kUlp)));
  CHECK(real_result("sub.rz.f32 %f0, %f1, %f2", {-1.0f, 0x1p-24f}) == bits(-1.0f));
  CHECK(real_result("sub.f32 %f0, %f1, %f2", {3.0f, 5.0f}) == bits(-2.0f));
  // (1 + u)^2 = 1 + 2u + u^2
  CHECK(real_result("mul.f32 %f0, %f1, %f1", {odd[0]}) == bits(static_cast<float>(1 + 2 * kUlp)));
  CHECK(real_result("mul.rp.f32 %f0, %f1, %f1", {odd[0]}) == bits(static_cast<float>(1 + 3 * kUlp)));
  // Exact zeros are negative only if rounding is downward.
  CHECK(real_result("sub.f32 %f0, %f1, %f1", {1.0f}) == 0);
  CHECK(real_result("sub.rm.f32 %f0, %f1, %f1", {1.0f}) == kMinusZero);
  CHECK(real_result("mul.f32 %f0, %f1, %f2", {0x1p100f, 0x1p100f}) == bits(kInfinity));
  CHECK(real_result("mul.rz.f32 %f0, %f1, %f2", {0x1p100f, 0x1p100f}) == bits(std::numeric_limits<float>::max()));
}

TEST_CASE("fma rounds once", "[unit][device_code]") {
  // With u = 2^-12: (1 + u)^2 - (1 + 2u) = u^2 = 2^-24; the product alone is rounded to 1 + 2u.
  const float a = 1 + 0x1p-12f, c = -(1 + 0x1p-11f);
  CHECK(real_result("fma.rn.f32 %f0, %f1, %f1, %f2", {a, c}) == bits(0x1p-24f));
  CHECK(real_result("mul.f32 %f3, %f1, %f1; add.f32 %f0, %f3, %f2", {a, c}) == 0);
  // 1 + 2u + u^2 is between 1 + 2u and the next number.
  CHECK(real_result("fma.rm.f32 %f0, %f1, %f1, 0f00000000", {a}) == bits(1 + 0x1p-11f));
  CHECK(real_result("fma.rz.f32 %f0, %f1, %f1, 0f00000000", {a}) == bits(1 + 0x1p-11f));
  CHECK(real_result("fma.rp.f32 %f0, %f1, %f1, 0f00000000", {a}) == bits(static_cast<float>(1 + 0x1p-11 + kUlp)));
  CHECK(real_result("fma.rm.f32 %f0, %f1, %f2, 0f00000000", {a, -a}) == bits(static_cast<float>(-1 - 0x1p-11 - kUlp)));
  CHECK(double_result("fma.rn.f64 %fd0, %fd1, %fd1, %fd2", {1 + 0x1p-30, -(1 + 0x1p-29)}) == bits(0x1p-60));
  CHECK(double_result("fma.rp.f64 %fd0, %fd1, %fd1, 0d0000000000000000", {1 + 0x1p-30}) == bits(1 + 0x1p-29 + 0x1p-52));
}

TEST_CASE("arithmetic makes one NaN", "[unit][device_code]") {
  CHECK(result_of("add.f32 %f0, %f1, %f2", {0xFFC12345, bits(1.0f)}) == kDeviceNaN);
  CHECK(real_result("sub.f32 %f0, %f1, %f1", {kInfinity}) == kDeviceNaN);
  CHECK(real_result("mul.f32 %f0, %f1, %f2", {kInfinity, 0.0f}) == kDeviceNaN);
  CHECK(real_result("sqrt.rn.f32 %f0, %f1", {-1.0f}) == kDeviceNaN);
}

TEST_CASE("denormal numbers are kept, or flushed by ftz", "[unit][device_code]") {
  CHECK(result_of("add.f32 %f0, %f1, %f1", {kSmallest}) == 2);
  CHECK(result_of("add.ftz.f32 %f0, %f1, %f1", {0x00600000}) == 0);
  CHECK(result_of("add.f32 %f0, %f1, %f1", {0x00600000}) == 0x00C00000);
  CHECK(result_of("mul.ftz.f32 %f0, %f1, %f2", {bits(-0x1p-100f), bits(0x1p-30f)}) == kMinusZero);
  CHECK(result_of("mul.f32 %f0, %f1, %f2", {bits(-0x1p-100f), bits(0x1p-30f)}) == bits(-0x1p-130f));
  CHECK(result_of("fma.rn.ftz.f32 %f0, %f1, %f2, %f3", {kSmallest, bits(1.0f), bits(2.0f)}) == bits(2.0f));
  CHECK(result_of("max.ftz.f32 %f0, %f1, %f2", {kSmallest, bits(-1.0f)}) == 0);
  CHECK(result_of("neg.ftz.f32 %f0, %f1", {kSmallest}) == kMinusZero);
  CHECK(result_of("abs.ftz.f32 %f0, %f1", {0x80000001}) == 0);
  CHECK(result_of("setp.gt.f32 %p0, %f1, 0f00000000", {kSmallest}) == 1);
  CHECK(result_of("setp.gt.ftz.f32 %p0, %f1, 0f00000000", {kSmallest}) == 0);
}

TEST_CASE("sat clamps to 0 and 1, and a NaN becomes 0", "[unit][device_code]") {
  CHECK(real_result("add.sat.f32 %f0, %f1, %f2", {0.75f, 0.5f}) == bits(1.0f));
  CHECK(real_result("add.sat.f32 %f0, %f1, %f2", {0.25f, 0.5f}) == bits(0.75f));
  CHECK(real_result("mul.sat.f32 %f0, %f1, %f2", {-1.0f, 0.5f}) == 0);
  CHECK(real_result("fma.rn.sat.f32 %f0, %f1, %f1, %f1", {0.5f}) == bits(0.75f));
  CHECK(result_of("add.sat.f32 %f0, %f1, %f1", {kNaNBits}) == 0);
}

TEST_CASE("the smaller and the larger number ignore a NaN and order the zeros", "[unit][device_code]") {
  CHECK(real_result("min.f32 %f0, %f1, %f2", {-1.0f, 2.0f}) == bits(-1.0f));
  CHECK(real_result("max.f32 %f0, %f1, %f2", {-1.0f, 2.0f}) == bits(2.0f));
  for (const char* const instruction : {"min.f32 %f0, %f1, %f2", "max.f32 %f0, %f1, %f2"}) {
    CHECK(result_of(instruction, {kNaNBits, bits(3.0f)}) == bits(3.0f));
    CHECK(result_of(instruction, {bits(3.0f), kNaNBits}) == bits(3.0f));
    CHECK(result_of(instruction, {kNaNBits, kNaNBits}) == kDeviceNaN);
  }
  CHECK(result_of("min.f32 %f0, %f1, %f2", {0, kMinusZero}) == kMinusZero);
  CHECK(result_of("min.f32 %f0, %f1, %f2", {kMinusZero, 0}) == kMinusZero);
  CHECK(result_of("max.f32 %f0, %f1, %f2", {0, kMinusZero}) == 0);
  CHECK(result_of("max.f32 %f0, %f1, %f2", {kMinusZero, 0}) == 0);
  CHECK(double_result("max.f64 %fd0, %fd1, %fd2", {-1.0, -0x1p-1074}) == bits(-0x1p-1074));
}

TEST_CASE("sign operations change one bit, also of a NaN", "[unit][device_code]") {
  CHECK(result_of("neg.f32 %f0, %f1", {0}) == kMinusZero);
  CHECK(result_of("neg.f32 %f0, %f1", {kNaNBits}) == 0xFFC00000);
  CHECK(result_of("abs.f32 %f0, %f1", {0xFFC00001}) == 0x7FC00001);
  CHECK(double_result("neg.f64 %fd0, %fd1", {2.5}) == bits(-2.5));
  CHECK(double_result("abs.f64 %fd0, %fd1", {-2.5}) == bits(2.5));
}

TEST_CASE("quotients and roots are rounded correctly", "[unit][device_code]") {
  // 1/3 is 0x3EAAAAAA.AAA..., nearer to 0x3EAAAAAB.
  CHECK(real_result("div.rn.f32 %f0, %f1, %f2", {1.0f, 3.0f}) == 0x3EAAAAAB);
  CHECK(real_result("div.rz.f32 %f0, %f1, %f2", {1.0f, 3.0f}) == 0x3EAAAAAA);
  CHECK(real_result("div.rm.f32 %f0, %f1, %f2", {-1.0f, 3.0f}) == 0xBEAAAAAB);
  CHECK(real_result("div.full.f32 %f0, %f1, %f2", {6.0f, 3.0f}) == bits(2.0f));
  CHECK(real_result("div.rn.f32 %f0, %f1, %f2", {-1.0f, 0.0f}) == bits(-kInfinity));
  CHECK(double_result("div.rn.f64 %fd0, %fd1, %fd2", {1.0, 3.0}) == 0x3FD5555555555555);
  CHECK(double_result("div.rp.f64 %fd0, %fd1, %fd2", {1.0, 3.0}) == 0x3FD5555555555556);
  CHECK(real_result("rcp.rn.f32 %f0, %f1", {4.0f}) == bits(0.25f));
  CHECK(double_result("rcp.rn.f64 %fd0, %fd1", {-0.5}) == bits(-2.0));
  // The root of 2 is 1.41421356237309504880...
  CHECK(real_result("sqrt.rn.f32 %f0, %f1", {2.0f}) == 0x3FB504F3);
  CHECK(real_result("sqrt.rp.f32 %f0, %f1", {2.0f}) == 0x3FB504F4);
  CHECK(double_result("sqrt.rn.f64 %fd0, %fd1", {2.0}) == 0x3FF6A09E667F3BCD);
}

TEST_CASE("approximations are exact where the result is", "[unit][device_code]") {
  CHECK(real_result("rsqrt.approx.f32 %f0, %f1", {16.0f}) == bits(0.25f));
  CHECK(real_result("ex2.approx.f32 %f0, %f1", {-3.0f}) == bits(0.125f));
  CHECK(real_result("ex2.approx.ftz.f32 %f0, %f1", {-130.0f}) == 0);
  CHECK(real_result("lg2.approx.f32 %f0, %f1", {1024.0f}) == bits(10.0f));
  CHECK(real_result("lg2.approx.f32 %f0, %f1", {0.0f}) == bits(-kInfinity));
  CHECK(real_result("rcp.approx.ftz.f32 %f0, %f1", {8.0f}) == bits(0.125f));
  CHECK(real_result("sqrt.approx.f32 %f0, %f1", {9.0f}) == bits(3.0f));
}

TEST_CASE("sums and products of doubles are rounded as the instruction says", "[unit][device_code]") {
  CHECK(double_result("add.f64 %fd0, %fd1, %fd2", {1.0, 0x1p-53}) == bits(1.0));
  CHECK(double_result("add.rp.f64 %fd0, %fd1, %fd2", {1.0, 0x1p-53}) == bits(1.0 + 0x1p-52));
  CHECK(double_result("sub.rm.f64 %fd0, %fd1, %fd2", {-1.0, 0x1p-53}) == bits(-1.0 - 0x1p-52));
  CHECK(double_result("mul.rn.f64 %fd0, %fd1, %fd2", {3.0, -7.0}) == bits(-21.0));
}

TEST_CASE("a comparison with a NaN is false unless it is unordered", "[unit][device_code]") {
  struct Row {
    std::string comparison;
    bool less, equal, greater, unordered;
  };
  const Row rows[] = {
      {"eq", false, true, false, false}, {"ne", true, false, true, false},  {"lt", true, false, false, false},
      {"le", true, true, false, false},  {"gt", false, false, true, false}, {"ge", false, true, true, false},
      {"equ", false, true, false, true}, {"neu", true, false, true, true},  {"ltu", true, false, false, true},
      {"leu", true, true, false, true},  {"gtu", false, false, true, true}, {"geu", false, true, true, true},
      {"num", true, true, true, false},  {"nan", false, false, false, true}};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Row& row : rows) {
    CAPTURE(row.comparison);
    for (const bool is_double : {false, true}) {
      const auto is = [&](float a, float b) {
        if (!is_double) return real_result("setp." + row.comparison + ".f32 %p0, %f1, %f2", {a, b}) == 1;
        return double_result("setp." + row.comparison + ".f64 %p0, %fd1, %fd2", {a, b}) == 1;
      };
      CHECK(is(1.0f, 2.0f) == row.less);
      CHECK(is(-0.0f, 0.0f) == row.equal);
      CHECK(is(2.0f, 1.0f) == row.greater);
      CHECK(is(nan, 1.0f) == row.unordered);
      CHECK(is(1.0f, nan) == row.unordered);
    }
  }
}

TEST_CASE("an instruction that the machine would compute wrongly is an error", "[unit][device_code]") {
  for (const char* const instruction :
       {"add.sat.s32 %r0, %r1, %r2", "sub.sat.s32 %r0, %r1, %r2", "mad.hi.sat.s32 %r0, %r1, %r2, %r2",
        "ex2.approx.f16 %rs0, %rs1", "add.f16 %rs0, %rs1, %rs2", "add.bf16 %rs0, %rs1, %rs2", "add.f16x2 %r0, %r1, %r2",
        "fma.rn.f16 %rs0, %rs1, %rs1, %rs2", "neg.f16x2 %r0, %r1", "add.sat.f64 %fd0, %fd1, %fd2",
        "setp.lt.f16 %p0, %rs1, %rs2", "mad.rn.f32 %f0, %f1, %f2, %f2"}) {
    CAPTURE(instruction);
    CHECK_THROWS_WITH(result_of(instruction, {1, 2}), ContainsSubstring("the machine does not know"));
  }
}
