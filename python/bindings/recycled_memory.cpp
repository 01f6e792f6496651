#include "recycled_memory.hpp"

#include <optional>
#include <utility>

namespace octavo::python {

std::unique_ptr<RecycledMemory::Block> RecycledMemory::take() {
  std::optional<OwnedTensor> memory;
  {
    const std::lock_guard lock(mutex_);
    if (!waiting_.empty()) {
      memory.emplace(std::move(waiting_.back()));
      waiting_.pop_back();
    }
  }
  if (!memory) memory.emplace(DType::int32, std::vector<std::int64_t>{(block_bytes_ + 3) / 4}, Device::cpu());
  return std::make_unique<Block>(shared_from_this(), std::move(*memory));
}

void RecycledMemory::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  waiting_.clear();
}

void RecycledMemory::put_back(OwnedTensor memory) noexcept {
  const std::lock_guard lock(mutex_);
  if (is_closed_ || waiting_.size() >= kMostWaiting) return;
  try {
    waiting_.push_back(std::move(memory));
  } catch (const std::bad_alloc&) {
    // Then it is not kept.
  }
}

}  // namespace octavo::python
