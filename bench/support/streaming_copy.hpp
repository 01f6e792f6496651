// The copy that a gather is measured against.
#pragma once

#include <cstddef>

namespace octavo::bench {

/// Copies past the cache; both pointers aligned to 64 bytes, `bytes` a multiple of 256. The instruction set is chosen
/// at run time.
void streaming_copy(std::byte* to, const std::byte* from, std::size_t bytes);

/// Writes past the cache, under the same conditions.
void streaming_fill(std::byte* to, std::size_t bytes);

}  // namespace octavo::bench
