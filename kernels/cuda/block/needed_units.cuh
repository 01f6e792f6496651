// Which units of coded rows a warp decodes, if only parts of the images are needed.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/image_part.hpp"

namespace octavo::kernels::cuda {

/// The lines of unit `unit` of `size` lines.
__device__ inline AxisPart lines_of(std::uint32_t unit, std::int64_t size) {
  const auto first = static_cast<std::int32_t>(unit) * static_cast<std::int32_t>(size);
  return {first, first + static_cast<std::int32_t>(size)};
}

/// Whether a lane of the warp has a unit, which is `part` of the image of `sample`, that is needed. All lanes of the
/// warp call it. `needed` are the parts of the samples; null: all of them.
__device__ inline bool warp_needs(const ImagePart* needed, std::uint32_t sample, const ImagePart& part) {
  if (needed == nullptr) return true;
  return __any_sync(~0u, needed[sample].touches(part));
}

}  // namespace octavo::kernels::cuda
