// Copies and fills memory at full memory speed, bypassing the cache: the reference for measuring a gather.
#pragma once

#include <cstddef>

namespace octavo::kernels::cpu {

/// Copies `bytes` on the calling thread with stores that do not read the lines they overwrite.
void streaming_copy(void* to, const void* from, std::size_t bytes);

/// Writes `bytes` in the same way: 32-bit numbers that count up. All zeros would be faster on some processors, up to
/// three times, which is no reference for a kernel that writes values.
void streaming_fill(void* to, std::size_t bytes);

}  // namespace octavo::kernels::cpu
