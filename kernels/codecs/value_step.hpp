// Rows whose values have a step (docs/format.md, "Largest errors"): they store each value, as uint8, divided by it.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// Multiplies the four bytes of a word by `value_step`, modulo 256 each.
OCTAVO_HOST_DEVICE inline std::uint32_t multiply_bytes(std::uint32_t values, std::uint32_t value_step) {
  // Every second byte, so that products do not run into each other.
  const std::uint32_t even = (values & 0x00FF00FFu) * value_step, odd = (values & 0xFF00FF00u) * value_step;
  return (even & 0x00FF00FFu) | (odd & 0xFF00FF00u);
}

/// The code of the value that is stored as `code`.
OCTAVO_HOST_DEVICE inline std::int8_t multiply_code(std::int8_t code, std::uint32_t value_step) {
  return static_cast<std::int8_t>(((static_cast<std::uint32_t>(code) ^ 0x80u) * value_step) ^ 0x80u);
}

/// The other way round, for codes of multiples.
OCTAVO_HOST_DEVICE inline std::int8_t divide_code(std::int8_t code, std::uint32_t value_step) {
  return static_cast<std::int8_t>(((static_cast<std::uint32_t>(code) ^ 0x80u) & 0xFFu) / value_step ^ 0x80u);
}

}  // namespace octavo::kernels
