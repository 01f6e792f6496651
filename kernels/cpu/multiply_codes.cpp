// Compiled once per instruction set and chosen at run time (Highway).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/multiply_codes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/codecs/value_step.hpp"
#include "kernels/cpu/multiply_codes.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void multiply_codes_here(std::int8_t* codes, std::int64_t count, std::uint32_t value_step) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::uint8_t> bytes;
  const hn::Repartition<std::uint16_t, decltype(bytes)> pairs;
  const auto step = hn::Set(pairs, static_cast<std::uint16_t>(value_step));
  const auto low = hn::Set(pairs, std::uint16_t{0xFF});
  const auto signs = hn::Set(bytes, std::uint8_t{0x80});
  auto* const at = reinterpret_cast<std::uint8_t*>(codes);
  const auto vector = static_cast<std::int64_t>(hn::Lanes(bytes));
  for (; i + vector <= count; i += vector) {
    const auto values = hn::BitCast(pairs, hn::Xor(hn::LoadU(bytes, at + i), signs));
    const auto even = hn::And(hn::Mul(values, step), low);
    const auto odd = hn::ShiftLeft<8>(hn::Mul(hn::ShiftRight<8>(values), step));
    hn::StoreU(hn::Xor(hn::BitCast(bytes, hn::Or(even, odd)), signs), bytes, at + i);
  }
#endif
  for (; i < count; ++i) codes[i] = multiply_code(codes[i], value_step);
}

}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo::kernels::cpu {

HWY_EXPORT(multiply_codes_here);

void multiply_codes(std::int8_t* codes, std::int64_t count, std::uint32_t value_step) {
  HWY_DYNAMIC_DISPATCH(multiply_codes_here)(codes, count, value_step);
}

}  // namespace octavo::kernels::cpu
#endif
