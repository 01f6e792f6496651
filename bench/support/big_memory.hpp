// Large blocks of host memory on huge pages, touched in advance so that no page fault is timed.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace octavo::bench {

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using BigMemory = std::unique_ptr<std::byte, FreeMemory>;

/// `bytes` bytes of pseudorandom contents.
inline BigMemory make_big_memory(std::size_t bytes) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* memory = std::aligned_alloc(kHugePage, whole);
  if (memory == nullptr) throw std::bad_alloc();
  ::madvise(memory, whole, MADV_HUGEPAGE);
  std::uint64_t state = 88172645463325252u;
  for (std::size_t i = 0; i + 8 <= whole; i += 8) {  // xorshift64
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::memcpy(static_cast<std::byte*>(memory) + i, &state, 8);
  }
  return BigMemory(static_cast<std::byte*>(memory));
}

}  // namespace octavo::bench
