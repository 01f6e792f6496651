// Device instructions without a plain C++ expression. Each has a host version with the same bits.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/host_device.hpp"

#if defined(__CUDA_ARCH__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace octavo::kernels {

/// The bits of a float.
OCTAVO_HOST_DEVICE inline std::uint32_t bits_of(float value) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(value);
#else
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
#endif
}

/// The float of these bits.
OCTAVO_HOST_DEVICE inline float float_of(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

/// Returns the upper 32 bits of the 64-bit product.
OCTAVO_HOST_DEVICE inline std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __umulhi(a, b);
#else
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
#endif
}

/// Returns the 16 bits of `value` as bfloat16, rounded to nearest, ties to even. A NaN stays a (quiet) NaN.
OCTAVO_HOST_DEVICE inline std::uint16_t to_bfloat16_bits(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __bfloat16_as_ushort(__float2bfloat16_rn(value));
#else
  const std::uint32_t bits = bits_of(value);
  const auto rounded = static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1)) >> 16);
  const bool is_nan = (bits & 0x7FFFFFFFu) > 0x7F800000u;
  return is_nan ? std::uint16_t{0x7FFF} : rounded;
#endif
}

/// Returns the 16 bits of `value` as float16 (IEEE binary16), rounded to nearest, ties to even. Overflow gives
/// infinity, small values give subnormals, and a NaN stays a (quiet) NaN.
OCTAVO_HOST_DEVICE inline std::uint16_t to_float16_bits(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __half_as_ushort(__float2half_rn(value));
#else
  const std::uint32_t bits = bits_of(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return 0x7FFF;           // NaN
  if (magnitude >= 0x47800000u) return sign | 0x7C00u;  // 65536 and more, infinity
  if (magnitude < 0x33000000u) return sign;             // below half of the least subnormal, 2^-25
  // Normal values lose 13 bits of the significand. A subnormal loses one more for each step below 2^-14.
  std::uint32_t significand, exponent;
  int dropped_bits = 13;
  if (magnitude >= 0x38800000u) {
    significand = magnitude;
    exponent = 112u << 10;  // bias 127 - 15
  } else {
    significand = (magnitude & 0x7FFFFFu) | 0x800000u;
    exponent = 0;
    dropped_bits = 126 - static_cast<int>(magnitude >> 23);
  }
  const std::uint32_t half = 1u << (dropped_bits - 1);
  const std::uint32_t odd = (significand >> dropped_bits) & 1;
  const std::uint32_t rounded = (significand + half - 1 + odd) >> dropped_bits;  // a carry increments the exponent
  return static_cast<std::uint16_t>(sign | (rounded - exponent));
#endif
}

/// Converts two values to bfloat16 with one instruction, `low` in the lower half of the word.
OCTAVO_HOST_DEVICE inline std::uint32_t to_bfloat16_pair(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  std::uint32_t bits;
  memcpy(&bits, &pair, sizeof bits);
  return bits;
#else
  return to_bfloat16_bits(low) | static_cast<std::uint32_t>(to_bfloat16_bits(high)) << 16;
#endif
}

/// The same for float16.
OCTAVO_HOST_DEVICE inline std::uint32_t to_float16_pair(float low, float high) {
#if defined(__CUDA_ARCH__)
  const __half2 pair = __floats2half2_rn(low, high);
  std::uint32_t bits;
  memcpy(&bits, &pair, sizeof bits);
  return bits;
#else
  return to_float16_bits(low) | static_cast<std::uint32_t>(to_float16_bits(high)) << 16;
#endif
}

/// Selects four of the eight bytes in `low` and `high`: nibble i of `selector` (0 to 7) chooses byte i.
OCTAVO_HOST_DEVICE inline std::uint32_t permute_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(low, high, selector);
#else
  const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    result |= static_cast<std::uint32_t>(both >> (8 * (selector >> (4 * i) & 7)) & 0xFF) << (8 * i);
  }
  return result;
#endif
}

/// The same, for a selector whose digits are below 8 and whose upper half is ignored: without the instruction with
/// which
/// __byte_perm() makes sure of it.
OCTAVO_HOST_DEVICE inline std::uint32_t select_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
#if defined(__CUDA_ARCH__)
  std::uint32_t selected;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(selected) : "r"(low), "r"(high), "r"(selector));
  return selected;
#else
  return permute_bytes(low, high, selector);
#endif
}

/// Returns the 32 bits that start `bit` modulo 32 bits into `low` and continue in `high`.
OCTAVO_HOST_DEVICE inline std::uint32_t bits_from(std::uint32_t low, std::uint32_t high, std::uint32_t bit) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_r(low, high, bit);
#else
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(high) << 32 | low) >> bit % 32);
#endif
}

/// Shifts to the left by `count` modulo 32 bits.
OCTAVO_HOST_DEVICE inline std::uint32_t shift_left(std::uint32_t word, std::uint32_t count) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_l(0, word, count);
#else
  return word << count % 32;
#endif
}

/// Returns the four bytes that start `byte_count` (0 to 3) bytes into `low` and continue in `high`.
OCTAVO_HOST_DEVICE inline std::uint32_t bytes_from(std::uint32_t low, std::uint32_t high, unsigned byte_count) {
  return bits_from(low, high, 8 * byte_count);
}

/// The lowest `count` bits set, at most 31.
OCTAVO_HOST_DEVICE inline std::uint32_t low_bits(std::uint32_t count) {
#if defined(__CUDA_ARCH__)
  std::uint32_t bits;
  asm("bmsk.clamp.b32 %0, 0, %1;" : "=r"(bits) : "r"(count));
  return bits;
#else
  return (1u << count) - 1;
#endif
}

/// The word with this bit; 0 if there is none.
OCTAVO_HOST_DEVICE inline std::uint32_t bit_at(std::uint32_t number) {
#if defined(__CUDA_ARCH__)
  std::uint32_t bit;
  asm("bmsk.clamp.b32 %0, %1, 1;" : "=r"(bit) : "r"(number));
  return bit;
#else
  return number < 32 ? 1u << number : 0;
#endif
}

/// Flips the sign bits of four packed codes, which gives bytes of code + 128. On the device the compiler does not move
/// this instruction, so a kernel controls where it waits for the codes to load.
OCTAVO_HOST_DEVICE inline std::uint32_t flip_signs(std::uint32_t four_codes) {
#if defined(__CUDA_ARCH__)
  std::uint32_t flipped;
  asm volatile("xor.b32 %0, %1, 0x80808080;" : "=r"(flipped) : "r"(four_codes));
  return flipped;
#else
  return four_codes ^ 0x80808080u;
#endif
}

/// Returns `value` after it has been loaded. On the device this is an instruction that changes nothing, but the
/// compiler cannot know that.
OCTAVO_HOST_DEVICE inline float wait_for(float value) {
#if defined(__CUDA_ARCH__)
  // blockDim.y is 1 in every launch, so the selector keeps all four bytes in place.
  std::uint32_t bits = __float_as_uint(value);
  asm volatile("prmt.b32 %0, %0, %0, %1;" : "+r"(bits) : "r"(0x320Fu + blockDim.y));
  return __uint_as_float(bits);
#else
  return value;
#endif
}

/// Reads a code that does not change while the kernel runs.
OCTAVO_HOST_DEVICE inline std::int8_t load_code(const std::int8_t* from) {
#if defined(__CUDA_ARCH__)
  return __ldg(reinterpret_cast<const signed char*>(from));
#else
  return *from;
#endif
}

/// Selects the bits of `chosen` that are set in `mask`, and the others of `others`.
OCTAVO_HOST_DEVICE inline std::uint32_t select_bits(std::uint32_t mask, std::uint32_t chosen, std::uint32_t others) {
#if defined(__CUDA_ARCH__)
  std::uint32_t selected;
  asm("lop3.b32 %0, %1, %2, %3, 0xCA;" : "=r"(selected) : "r"(mask), "r"(chosen), "r"(others));
  return selected;
#else
  return (mask & chosen) | (~mask & others);
#endif
}

/// Adds byte kIndex of a word to `sum`.
template <int kIndex>
OCTAVO_HOST_DEVICE inline std::uint32_t add_byte(std::uint32_t word, std::uint32_t sum) {
#if defined(__CUDA_ARCH__)
  return __dp4a(word, 1u << (8 * kIndex), sum);
#else
  return sum + (word >> (8 * kIndex) & 0xFF);
#endif
}

/// If `begin` is not `before`: moves the words of a window on by one, and loads the third one from `at_begin`, two
/// words on, which does not change while the kernel runs. On the device without a branch, and without copies.
OCTAVO_HOST_DEVICE inline void load_next_word(std::uint32_t begin, std::uint32_t before, const std::uint32_t* at_begin,
                                              std::uint32_t& first, std::uint32_t& second, std::uint32_t& third) {
#if defined(__CUDA_ARCH__)
  asm("{\n\t.reg .pred p;\n\t"
      "setp.ne.b32 p, %3, %4;\n\t"
      "@p mov.b32 %0, %1;\n\t"
      "@p mov.b32 %1, %2;\n\t"
      "@p ld.global.nc.L2::128B.b32 %2, [%5+8];\n\t}"
      : "+r"(first), "+r"(second), "+r"(third)
      : "r"(begin), "r"(before), "l"(at_begin));
#else
  if (begin == before) return;
  first = second;
  second = third;
  third = at_begin[2];
#endif
}

/// Reads a word that does not change while the kernel runs, in global memory. Its line of 128 bytes comes to the L2
/// cache: for lanes that read rows word by word.
OCTAVO_HOST_DEVICE inline std::uint32_t load_word(const std::uint32_t* from) {
#if defined(__CUDA_ARCH__)
  std::uint32_t word;
  asm("ld.global.nc.L2::128B.b32 %0, [%1];" : "=r"(word) : "l"(from));
  return word;
#else
  return *from;
#endif
}

/// The same for two words, aligned to 8 bytes.
OCTAVO_HOST_DEVICE inline void load_word_pair(const std::uint32_t* from, std::uint32_t& first, std::uint32_t& second) {
#if defined(__CUDA_ARCH__)
  asm("ld.global.nc.L2::128B.v2.b32 {%0, %1}, [%2];" : "=r"(first), "=r"(second) : "l"(from));
#else
  first = from[0];
  second = from[1];
#endif
}

/// If `wanted` is not 0: moves a window of six words on by two, and loads the last two from `next`, which is aligned to
/// 8 bytes and does not change while the kernel runs. On the device without a branch, and without copies of the words.
OCTAVO_HOST_DEVICE inline void load_next_words(std::uint32_t wanted, const std::uint32_t* next,
                                               std::uint32_t (&window)[6]) {
#if defined(__CUDA_ARCH__)
  asm("{\n\t.reg .pred p;\n\t"
      "setp.ne.b32 p, %6, 0;\n\t"
      "@p mov.b32 %0, %2;\n\t"
      "@p mov.b32 %1, %3;\n\t"
      "@p mov.b32 %2, %4;\n\t"
      "@p mov.b32 %3, %5;\n\t"
      "@p ld.global.nc.L2::128B.v2.b32 {%4, %5}, [%7];\n\t}"
      : "+r"(window[0]), "+r"(window[1]), "+r"(window[2]), "+r"(window[3]), "+r"(window[4]), "+r"(window[5])
      : "r"(wanted), "l"(next));
#else
  if (wanted == 0) return;
  for (int i = 0; i < 4; ++i) window[i] = window[i + 2];
  load_word_pair(next, window[4], window[5]);
#endif
}

/// Returns float(code) for byte `index` (0 to 3) of four packed codes with flipped signs. On the device, a byte
/// permutation and one exact subtraction replace the conversion instruction, which runs at a quarter of the rate:
/// 0x4B000000 | u is 2^23 + u.
OCTAVO_HOST_DEVICE inline float flipped_code(std::uint32_t four_flipped, unsigned index) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(__byte_perm(four_flipped, 0x4B000000u, 0x7650u | index)) - 8388736.0f;
#else
  return static_cast<float>(static_cast<int>(four_flipped >> (8 * index) & 0xFF) - 128);
#endif
}

/// Adds the four signed bytes of a word to `sum`.
OCTAVO_HOST_DEVICE inline std::int32_t add_codes_in_word(std::uint32_t four_codes, std::int32_t sum) {
#if defined(__CUDA_ARCH__)
  return __dp4a(static_cast<int>(four_codes), 0x01010101, sum);
#else
  for (int index = 0; index < 4; ++index) sum += static_cast<std::int8_t>(four_codes >> (8 * index));
  return sum;
#endif
}

/// Adds, to `sum`, the two 16-bit halves of `weights` times the signed bytes 0 and 1 of a word, or 2 and 3.
OCTAVO_HOST_DEVICE inline std::int32_t add_weighted_codes(std::uint32_t weights, std::uint32_t four_codes, bool upper,
                                                          std::int32_t sum) {
#if defined(__CUDA_ARCH__)
  const int pair = static_cast<int>(weights), codes = static_cast<int>(four_codes);
  return upper ? __dp2a_hi(pair, codes, sum) : __dp2a_lo(pair, codes, sum);
#else
  const std::uint32_t two = upper ? four_codes >> 16 : four_codes;
  return sum + static_cast<std::int16_t>(weights) * static_cast<std::int8_t>(two) +
         static_cast<std::int16_t>(weights >> 16) * static_cast<std::int8_t>(two >> 8);
#endif
}

}  // namespace octavo::kernels
