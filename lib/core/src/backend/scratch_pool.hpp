// Reuses scratch memory between calls, because mapping fresh memory for each batch takes longer than small batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/backend.hpp"

namespace octavo::backend {

/// Blocks of host memory that are not in use. Thread-safe; must outlive its loans.
class ScratchPool {
 public:
  /// Memory comes from `backend`, which must outlive the pool.
  explicit ScratchPool(Backend& backend) : backend_(backend) { free_.reserve(kMostKept); }
  ~ScratchPool() {
    for (const Block& block : free_) backend_.release(block.memory, block.bytes);
  }
  ScratchPool(const ScratchPool&) = delete;
  ScratchPool& operator=(const ScratchPool&) = delete;

  /// A block of at least `bytes`, aligned to a page, until the end of the scope; null for 0 bytes. Throws OutOfMemory.
  class Loan {
   public:
    Loan(ScratchPool& pool, std::int64_t bytes) : pool_(pool), block_(pool.take(static_cast<std::size_t>(bytes))) {}
    ~Loan() { pool_.give_back(block_); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    std::byte* data() const { return static_cast<std::byte*>(block_.memory); }

   private:
    friend class ScratchPool;
    struct Block {
      void* memory;
      std::size_t bytes;
    };

    ScratchPool& pool_;
    Block block_;
  };

 private:
  using Block = Loan::Block;
  static constexpr std::size_t kMostKept = 8;

  Block take(std::size_t bytes) {
    if (bytes == 0) return {nullptr, 0};
    const Block block = take_free();
    if (block.bytes >= bytes) return block;
    if (block.memory != nullptr) backend_.release(block.memory, block.bytes);
    return {backend_.allocate(bytes, "the augmentation of a batch"), bytes};
  }
  Block take_free() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return {nullptr, 0};
    const Block block = free_.back();
    free_.pop_back();
    return block;
  }
  void give_back(Block block) noexcept {
    if (block.memory == nullptr) return;
    {
      const std::lock_guard lock(mutex_);
      if (free_.size() < kMostKept) return free_.push_back(block);  // does not allocate
    }
    backend_.release(block.memory, block.bytes);
  }

  Backend& backend_;
  std::mutex mutex_;
  std::vector<Block> free_;
};

}  // namespace octavo::backend
