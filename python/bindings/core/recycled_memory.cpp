#include "core/recycled_memory.hpp"

#include <sys/mman.h>

#include <new>

namespace octavo::python {
namespace {

constexpr std::size_t kLineBytes = 64;
constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

/// Fresh memory; large blocks ask for huge pages, which need about 1/500 of the page faults.
RecycledMemory::Memory fresh_memory(std::size_t bytes) {
  const std::size_t alignment = bytes >= kHugePageBytes / 2 ? kHugePageBytes : kLineBytes;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  RecycledMemory::Memory memory(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
  if (!memory) throw std::bad_alloc();
  // Only advice: plain pages work too.
  if (alignment == kHugePageBytes) ::madvise(memory.get(), rounded, MADV_HUGEPAGE);
  return memory;
}

}  // namespace

std::unique_ptr<RecycledMemory::Block> RecycledMemory::take() {
  Memory memory;
  {
    const std::lock_guard lock(mutex_);
    if (!waiting_.empty()) {
      memory = std::move(waiting_.back());
      waiting_.pop_back();
    }
  }
  if (!memory) memory = fresh_memory(static_cast<std::size_t>(block_bytes_));
  return std::make_unique<Block>(shared_from_this(), std::move(memory));
}

void RecycledMemory::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  waiting_.clear();
}

void RecycledMemory::put_back(Memory memory) noexcept {
  const std::lock_guard lock(mutex_);
  if (is_closed_ || waiting_.size() >= kMostWaiting) return;
  try {
    waiting_.push_back(std::move(memory));
  } catch (const std::bad_alloc&) {
    // Then the block is freed instead.
  }
}

}  // namespace octavo::python
