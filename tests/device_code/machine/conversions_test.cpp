// Conversions between types, each against bits worked out by hand.
#include <limits>

#include "catch.hpp"
#include "machine/float_rounding.hpp"
#include "test_program.hpp"

using namespace device_code;

namespace {

constexpr float kFloatInfinity = std::numeric_limits<float>::infinity(), kFloatNaN = std::numeric_limits<float>::quiet_NaN();

/// Converts a float32.
u64 from_float(const std::string& conversion, float value) {
  const bool is_short = conversion.find("f16.") != std::string::npos;
  const bool is_long = conversion.find("f64.") != std::string::npos;
  return result_of("cvt." + conversion + (is_short ? " %rs0" : is_long ? " %fd0" : " %f0") + ", %f1", {bits(value)});
}
u64 from_double(const std::string& conversion, double value) {
  return result_of("cvt." + conversion + " %f0, %fd1", {bits(value)});
}
/// Converts a float32 to an integer of 32 bits; the faults do not matter.
u64 to_integer(const std::string& conversion, float value) {
  return computed_by("cvt." + conversion + ".f32 %r0, %f1", {bits(value)}).value;
}

}  // namespace

TEST_CASE("float32 is rounded to float16 in each direction", "[unit][device_code]") {
  // A unit in the last place of 1 is 2^-10 = 0x0.004p0.
  const float half = 1 + 0x1p-11f, more = 1 + 0x1p-11f + 0x1p-20f, odd_half = 1 + 3 * 0x1p-11f;
  CHECK(from_float("rn.f16.f32", 1.0f) == 0x3C00);
  CHECK(from_float("rn.f16.f32", half) == 0x3C00);
  CHECK(from_float("rn.f16.f32", more) == 0x3C01);
  CHECK(from_float("rn.f16.f32", odd_half) == 0x3C02);
  CHECK(from_float("rz.f16.f32", odd_half) == 0x3C01);
  CHECK(from_float("rm.f16.f32", odd_half) == 0x3C01);
  CHECK(from_float("rp.f16.f32", half) == 0x3C01);
  CHECK(from_float("rm.f16.f32", -half) == 0xBC01);
  CHECK(from_float("rp.f16.f32", -odd_half) == 0xBC01);
  CHECK(from_float("rz.f16.f32", -odd_half) == 0xBC01);
}

TEST_CASE("float32 overflows float16 as the direction says", "[unit][device_code]") {
  // The largest number is 65504; the next would be 65536, and 65520 is halfway.
  CHECK(from_float("rn.f16.f32", 65504.0f) == 0x7BFF);
  CHECK(from_float("rn.f16.f32", 65519.996f) == 0x7BFF);
  CHECK(from_float("rn.f16.f32", 65520.0f) == 0x7C00);
  CHECK(from_float("rz.f16.f32", 1e30f) == 0x7BFF);
  CHECK(from_float("rm.f16.f32", 1e30f) == 0x7BFF);
  CHECK(from_float("rp.f16.f32", 65504.5f) == 0x7C00);
  CHECK(from_float("rm.f16.f32", -1e30f) == 0xFC00);
  CHECK(from_float("rp.f16.f32", -1e30f) == 0xFBFF);
  CHECK(from_float("rz.f16.f32", kFloatInfinity) == 0x7C00);
  CHECK(from_float("rn.f16.f32", -kFloatInfinity) == 0xFC00);
  CHECK(from_float("rn.f16.f32", kFloatNaN) == 0x7FFF);
}

TEST_CASE("float32 becomes denormal float16 with one rounding", "[unit][device_code]") {
  // The smallest normal number is 2^-14, the smallest of all 2^-24.
  CHECK(from_float("rn.f16.f32", 0x1p-14f) == 0x0400);
  CHECK(from_float("rn.f16.f32", 0x1p-24f) == 0x0001);
  CHECK(from_float("rn.f16.f32", 0x1p-25f) == 0x0000);
  CHECK(from_float("rn.f16.f32", 0x1.8p-25f) == 0x0001);
  CHECK(from_float("rn.f16.f32", 0x1.8p-24f) == 0x0002);
  CHECK(from_float("rn.f16.f32", 0x1.FFFFFEp-15f) == 0x0400);
  CHECK(from_float("rz.f16.f32", 0x1.FFFFFEp-15f) == 0x03FF);
  CHECK(from_float("rp.f16.f32", 0x1p-149f) == 0x0001);
  CHECK(from_float("rm.f16.f32", -0x1p-149f) == 0x8001);
  CHECK(from_float("rn.f16.f32", -0x1p-149f) == 0x8000);
  CHECK(from_float("rn.f16.f32", -0.0f) == 0x8000);
}

TEST_CASE("float32 is rounded to bfloat16", "[unit][device_code]") {
  // A unit in the last place of 1 is 2^-7.
  CHECK(from_float("rn.bf16.f32", 1 + 0x1p-8f) == 0x3F80);
  CHECK(from_float("rn.bf16.f32", 1 + 3 * 0x1p-8f) == 0x3F82);
  CHECK(from_float("rn.bf16.f32", 1 + 0x1.0002p-8f) == 0x3F81);
  CHECK(from_float("rz.bf16.f32", 1 + 3 * 0x1p-8f) == 0x3F81);
  CHECK(from_float("rn.bf16.f32", std::numeric_limits<float>::max()) == 0x7F80);
  CHECK(from_float("rz.bf16.f32", std::numeric_limits<float>::max()) == 0x7F7F);
  CHECK(from_float("rn.bf16.f32", kFloatNaN) == 0x7FFF);
  // Denormals have units of 2^-133.
  CHECK(from_float("rn.bf16.f32", 0x1p-133f) == 0x0001);
  CHECK(from_float("rn.bf16.f32", 0x1p-134f) == 0x0000);
  CHECK(from_float("rn.bf16.f32", 0x1.8p-134f) == 0x0001);
}

TEST_CASE("a pair has its first operand in the upper half", "[unit][device_code]") {
  CHECK(result_of("cvt.rn.f16x2.f32 %r0, %f1, %f2", {bits(1.0f), bits(-2.0f)}) == 0x3C00C000);
  CHECK(result_of("cvt.rn.bf16x2.f32 %r0, %f1, %f2", {bits(1.0f), bits(-2.0f)}) == 0x3F80C000);
  CHECK(result_of("cvt.rz.f16x2.f32 %r0, %f1, %f2", {bits(1e9f), bits(1 + 0x1p-11f)}) == 0x7BFF3C00);
  CHECK(result_of("cvt.rn.bf16x2.f32 %r0, %f1, %f2", {bits(kFloatNaN), bits(1 + 3 * 0x1p-8f)}) == 0x7FFF3F82);
}

TEST_CASE("float64 is rounded to float32 in each direction", "[unit][device_code]") {
  const double half = 1 + 0x1p-24, odd_half = 1 + 3 * 0x1p-24;
  CHECK(from_double("rn.f32.f64", half) == 0x3F800000);
  CHECK(from_double("rn.f32.f64", half + 0x1p-52) == 0x3F800001);
  CHECK(from_double("rn.f32.f64", odd_half) == 0x3F800002);
  CHECK(from_double("rz.f32.f64", odd_half) == 0x3F800001);
  CHECK(from_double("rm.f32.f64", odd_half) == 0x3F800001);
  CHECK(from_double("rp.f32.f64", 1 + 0x1p-52) == 0x3F800001);
  CHECK(from_double("rm.f32.f64", -1 - 0x1p-52) == 0xBF800001);
  CHECK(from_double("rz.f32.f64", -1 - 0x1p-52) == 0xBF800000);
  // Overflow: 2^128 - 2^103 is halfway between the largest number and 2^128.
  CHECK(from_double("rn.f32.f64", 0x1.FFFFFEFFFFFFFp127) == 0x7F7FFFFF);
  CHECK(from_double("rn.f32.f64", 0x1.FFFFFFp127) == 0x7F800000);
  CHECK(from_double("rz.f32.f64", 1e300) == 0x7F7FFFFF);
  CHECK(from_double("rp.f32.f64", -1e300) == 0xFF7FFFFF);
  // Denormal: units of 2^-149.
  CHECK(from_double("rn.f32.f64", 0x1p-150) == 0);
  CHECK(from_double("rn.f32.f64", 0x1.8p-149) == 2);
  CHECK(from_double("rp.f32.f64", 0x1p-1074) == 1);
  CHECK(from_double("rn.ftz.f32.f64", 0x1p-149) == 0);
  CHECK(from_double("rn.f32.f64", std::numeric_limits<double>::quiet_NaN()) == 0x7FFFFFFF);
}

TEST_CASE("a wider float holds the same number", "[unit][device_code]") {
  CHECK(result_of("cvt.f32.f16 %f0, %rs1", {0x3C01}) == bits(1 + 0x1p-10f));
  CHECK(result_of("cvt.f32.f16 %f0, %rs1", {0x8001}) == bits(-0x1p-24f));
  CHECK(result_of("cvt.f32.f16 %f0, %rs1", {0xFC00}) == bits(-kFloatInfinity));
  CHECK(result_of("cvt.f32.f16 %f0, %rs1", {0x7C01}) == 0x7FFFFFFF);
  CHECK(result_of("cvt.f32.bf16 %f0, %rs1", {0x0001}) == bits(0x1p-133f));
  CHECK(result_of("cvt.f64.f32 %fd0, %f1", {1}) == bits(0x1p-149));
  CHECK(result_of("cvt.f64.f32 %fd0, %f1", {bits(-1.5f)}) == bits(-1.5));
  CHECK(result_of("cvt.f64.f16 %fd0, %rs1", {0x0001}) == bits(0x1p-24));
}

TEST_CASE("all 65,536 float16 and bfloat16 numbers survive the way to float64 and back", "[unit][device_code]") {
  for (const FloatFormat& format : {kFloat16, kBFloat16}) {
    for (const Rounding rounding : {Rounding::nearest, Rounding::zero, Rounding::down, Rounding::up}) {
      u32 wrong = 0;
      for (u64 number = 0; number < 0x10000; ++number) {
        const u64 magnitude = number & 0x7FFF, infinity = low_bits(15) - low_bits(format.fraction_bits);
        const u64 expected = magnitude > infinity ? 0x7FFF : number;
        wrong += round_to(format, value_of(format, number), rounding) != expected ? 1 : 0;
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("a float is rounded to a whole float", "[unit][device_code]") {
  CHECK(from_float("rni.f32.f32", 2.5f) == bits(2.0f));
  CHECK(from_float("rni.f32.f32", 3.5f) == bits(4.0f));
  CHECK(from_float("rzi.f32.f32", -2.7f) == bits(-2.0f));
  CHECK(from_float("rmi.f32.f32", -2.1f) == bits(-3.0f));
  CHECK(from_float("rpi.f32.f32", 2.1f) == bits(3.0f));
  CHECK(from_float("rpi.f32.f32", -0.5f) == 0x80000000);
  CHECK(result_of("cvt.rmi.f64.f64 %fd0, %fd1", {bits(-0.25)}) == bits(-1.0));
}

TEST_CASE("sat clamps a conversion to 0 and 1", "[unit][device_code]") {
  CHECK(from_float("sat.f32.f32", 1.5f) == bits(1.0f));
  CHECK(from_float("sat.f32.f32", -1.5f) == 0);
  CHECK(from_float("sat.f32.f32", -0.0f) == 0);
  CHECK(from_float("sat.f32.f32", 0.25f) == bits(0.25f));
  CHECK(from_float("sat.f32.f32", kFloatNaN) == 0);
  CHECK(from_float("rn.sat.f16.f32", 7.0f) == 0x3C00);
}

TEST_CASE("a float is rounded to an integer in each direction", "[unit][device_code]") {
  CHECK(to_integer("rni.s32", 2.5f) == 2);
  CHECK(to_integer("rni.s32", 3.5f) == 4);
  CHECK(to_integer("rni.s32", -2.5f) == 0xFFFFFFFE);
  CHECK(to_integer("rzi.s32", -2.9f) == 0xFFFFFFFE);
  CHECK(to_integer("rmi.s32", -2.1f) == 0xFFFFFFFD);
  CHECK(to_integer("rpi.s32", 2.1f) == 3);
  CHECK(to_integer("rzi.u32", 4e9f) == 4000000000);
  CHECK(to_integer("rpi.s32", 0x1p-149f) == 1);
  CHECK(to_integer("rpi.ftz.s32", 0x1p-149f) == 0);
  CHECK(result_of("cvt.rzi.s64.f64 %rd0, %fd1", {bits(-0x1.8p62)}) == ~u64{0} - (u64{3} << 61) + 1);
  CHECK(result_of("cvt.rzi.u64.f32 %rd0, %f1", {bits(0x1.8p63f)}) == u64{3} << 62);
  CHECK(result_of("cvt.rni.s16.f32 %rs0, %f1", {bits(-300.5f)}) == 0xFED4);
  CHECK(result_of("cvt.rzi.u8.f32 %rs0, %f1", {bits(255.9f)}) == 255);
}

TEST_CASE("a float beyond the integers becomes the nearest of them", "[unit][device_code]") {
  CHECK(to_integer("rni.s32", 3e9f) == 0x7FFFFFFF);
  CHECK(to_integer("rni.s32", -3e9f) == 0x80000000);
  CHECK(to_integer("rzi.u32", 5e9f) == 0xFFFFFFFF);
  CHECK(to_integer("rzi.u32", -1.0f) == 0);
  CHECK(to_integer("rzi.s32", kFloatInfinity) == 0x7FFFFFFF);
  CHECK(to_integer("rzi.u8", 300.0f) == 0xFF);
  CHECK(to_integer("rzi.s32", kFloatNaN) == 0);
  CHECK(computed_by("cvt.rzi.s64.f64 %rd0, %fd1", {bits(1e30)}).value == ~u64{0} >> 1);
  CHECK(computed_by("cvt.rzi.s64.f64 %rd0, %fd1", {bits(-1e30)}).value == u64{1} << 63);
  CHECK(computed_by("cvt.rzi.u64.f64 %rd0, %fd1", {bits(1e30)}).value == ~u64{0});
}

TEST_CASE("a NaN becomes 0, or the highest bit if 64 bits are involved", "[unit][device_code]") {
  const u64 nan = bits(std::numeric_limits<double>::quiet_NaN());
  CHECK(to_integer("rzi.u32", kFloatNaN) == 0);
  CHECK(computed_by("cvt.rzi.s64.f64 %rd0, %fd1", {nan}).value == u64{1} << 63);
  CHECK(computed_by("cvt.rzi.u64.f32 %rd0, %f1", {bits(kFloatNaN)}).value == u64{1} << 63);
  CHECK(computed_by("cvt.rzi.s32.f64 %r0, %fd1", {nan}).value == 0x80000000);
}

TEST_CASE("an integer is rounded to a float once", "[unit][device_code]") {
  CHECK(result_of("cvt.rn.f32.s32 %f0, %r1", {0xFFFFFFFF}) == bits(-1.0f));
  CHECK(result_of("cvt.rn.f32.u32 %f0, %r1", {0xFFFFFFFF}) == bits(0x1p32f));
  CHECK(result_of("cvt.rn.f32.s32 %f0, %r1", {0x01000001}) == bits(0x1p24f));
  CHECK(result_of("cvt.rn.f32.s32 %f0, %r1", {0x01000003}) == bits(0x1p24f + 4));
  CHECK(result_of("cvt.rn.f32.s8 %f0, %rs1", {0x80}) == bits(-128.0f));
  CHECK(result_of("cvt.rn.f32.u8 %f0, %rs1", {0xFF80}) == bits(128.0f));
  CHECK(result_of("cvt.rn.f32.s16 %f0, %rs1", {0x8000}) == bits(-32768.0f));
  // 2^62 + 2^38 + 1 is just above halfway; float64 would round it to halfway, and then down.
  CHECK(result_of("cvt.rn.f32.u64 %f0, %rd1", {0x4000004000000001}) == bits(0x1.000002p62f));
  CHECK(result_of("cvt.rn.f64.u64 %fd0, %rd1", {~u64{0}}) == bits(0x1p64));
  CHECK(result_of("cvt.rn.f64.s32 %fd0, %r1", {0x80000000}) == bits(-0x1p31));
}

TEST_CASE("an integer is cut off or extended by the sign of its type", "[unit][device_code]") {
  CHECK(result_of("cvt.s32.s8 %r0, %r1", {0x1280}) == 0xFFFFFF80);
  CHECK(result_of("cvt.u32.u8 %r0, %r1", {0x1280}) == 0x80);
  CHECK(result_of("cvt.s64.s32 %rd0, %r1", {0x80000000}) == 0xFFFFFFFF80000000);
  CHECK(result_of("cvt.u64.u32 %rd0, %r1", {0x80000000}) == 0x80000000);
  CHECK(result_of("cvt.u64.s16 %rd0, %rs1", {0x8000}) == 0xFFFFFFFFFFFF8000);
  CHECK(result_of("cvt.u32.u64 %r0, %rd1", {0x123456789}) == 0x23456789);
  CHECK(result_of("cvt.u16.u32 %rs0, %r1", {0x12345}) == 0x2345);
  CHECK(result_of("cvt.s16.s8 %rs0, %rs1", {0x00FF}) == 0xFFFF);
  // A register wider than the type holds the sign too.
  CHECK(result_of("cvt.s8.s32 %rs0, %r1", {0x1280}) == 0xFF80);
  CHECK(result_of("cvt.s8.u32 %r0, %r1", {0x1280}) == 0xFFFFFF80);
  CHECK(result_of("cvt.u8.s32 %r0, %r1", {0xFFFFFF80}) == 0x80);
  CHECK(result_of("cvt.rzi.s8.f32 %rs0, %f1", {bits(-2.0f)}) == 0xFFFE);
}

TEST_CASE("an unknown conversion is an error", "[unit][device_code]") {
  for (const char* const instruction :
       {"cvt.sat.s8.s32 %rs0, %r1", "cvt.f32.s32 %f0, %r1", "cvt.s32.f32 %r0, %f1", "cvt.rni.sat.s32.f32 %r0, %f1",
        "cvt.rn.f16.s32 %rs0, %r1", "cvt.rn.sat.f16x2.f32 %r0, %f1, %f2"}) {
    CAPTURE(instruction);
    CHECK_THROWS_WITH(result_of(instruction, {1, 2}), ContainsSubstring("the machine does not know"));
  }
}
