// Interleaves the channels of four pixels.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/intrinsics.hpp"

namespace octavo::kernels::cuda {

/// Interleaves four pixels of three channels: the bytes of a, b and c become abca bcab cabc.
__device__ inline void interleave(const std::uint32_t (&channels)[3], std::uint32_t (&pixels)[3]) {
  const auto [a, b, c] = channels;
  pixels[0] = permute_bytes(permute_bytes(a, b, 0x1040), c, 0x3410);
  pixels[1] = permute_bytes(permute_bytes(a, b, 0x6205), c, 0x3250);
  pixels[2] = permute_bytes(permute_bytes(a, b, 0x0730), c, 0x7216);
}
/// The same for four channels: abcd abcd abcd abcd.
__device__ inline void interleave(const std::uint32_t (&channels)[4], std::uint32_t (&pixels)[4]) {
  const std::uint32_t ab01 = permute_bytes(channels[0], channels[1], 0x5140);
  const std::uint32_t ab23 = permute_bytes(channels[0], channels[1], 0x7362);
  const std::uint32_t cd01 = permute_bytes(channels[2], channels[3], 0x5140);
  const std::uint32_t cd23 = permute_bytes(channels[2], channels[3], 0x7362);
  pixels[0] = permute_bytes(ab01, cd01, 0x5410);
  pixels[1] = permute_bytes(ab01, cd01, 0x7632);
  pixels[2] = permute_bytes(ab23, cd23, 0x5410);
  pixels[3] = permute_bytes(ab23, cd23, 0x7632);
}

}  // namespace octavo::kernels::cuda
