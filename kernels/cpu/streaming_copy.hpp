// Copies and fills memory at full memory speed, bypassing the cache: the reference for measuring a gather.
#pragma once

#include <cstddef>

namespace octavo::kernels::cpu {

/// Copies `bytes` on the calling thread with stores that do not read the lines they overwrite.
void streaming_copy(void* to, const void* from, std::size_t bytes);

/// Sets `bytes` to zero in the same way.
void streaming_fill(void* to, std::size_t bytes);

}  // namespace octavo::kernels::cpu
