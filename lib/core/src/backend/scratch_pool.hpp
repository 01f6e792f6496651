// Reuses scratch memory between calls, because mapping fresh memory for each batch takes longer than small batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace octavo::backend {

/// Blocks of memory that are not in use. Thread-safe.
class ScratchPool {
 public:
  /// A block of at least `bytes`, aligned to a cache line; returned to the pool at the end of the scope. Throws
  /// std::bad_alloc.
  class Loan {
   public:
    Loan(ScratchPool& pool, std::int64_t bytes) : pool_(pool), block_(pool.take(bytes)) {}
    ~Loan() { pool_.give_back(std::move(block_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    std::byte* data() const { return block_.memory.get(); }

   private:
    friend class ScratchPool;
    struct Free {
      void operator()(std::byte* memory) const { std::free(memory); }
    };
    struct Block {
      std::unique_ptr<std::byte, Free> memory;
      std::int64_t bytes = 0;
    };

    ScratchPool& pool_;
    Block block_;
  };

 private:
  Loan::Block take(std::int64_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      if (!blocks_.empty()) {
        Loan::Block block = std::move(blocks_.back());
        blocks_.pop_back();
        if (block.bytes >= bytes) return block;
      }
      blocks_.reserve(kMostKept);  // so that give_back() cannot fail
    }
    constexpr std::size_t kLine = 64;
    const std::size_t rounded = (static_cast<std::size_t>(bytes) + kLine - 1) / kLine * kLine;
    Loan::Block block;
    block.memory.reset(static_cast<std::byte*>(std::aligned_alloc(kLine, rounded)));
    if (block.memory == nullptr) throw std::bad_alloc();
    block.bytes = static_cast<std::int64_t>(rounded);
    return block;
  }
  void give_back(Loan::Block block) noexcept {
    const std::lock_guard lock(mutex_);
    if (blocks_.size() < kMostKept) blocks_.push_back(std::move(block));
  }

  static constexpr std::size_t kMostKept = 8;

  std::mutex mutex_;
  std::vector<Loan::Block> blocks_;
};

}  // namespace octavo::backend
