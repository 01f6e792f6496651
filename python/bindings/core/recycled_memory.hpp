// Recycles the host memory of released batches.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace octavo::python {

/// Blocks of one size. A fresh block costs one page fault per 4 KiB, which takes longer than filling it with a batch; a
/// recycled block costs nothing. Thread-safe.
class RecycledMemory : public std::enable_shared_from_this<RecycledMemory> {
 public:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<std::byte, Free>;

  /// A block in use. The destructor returns it to the pool, which it keeps alive even after the loader is gone.
  class Block {
   public:
    Block(std::shared_ptr<RecycledMemory> pool, Memory memory) : pool_(std::move(pool)), memory_(std::move(memory)) {}
    ~Block() { pool_->put_back(std::move(memory_)); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    void* data() const { return memory_.get(); }

   private:
    std::shared_ptr<RecycledMemory> pool_;
    Memory memory_;
  };

  explicit RecycledMemory(std::int64_t block_bytes) : block_bytes_(block_bytes) {}

  std::int64_t block_bytes() const { return block_bytes_; }
  /// Throws std::bad_alloc.
  std::unique_ptr<Block> take();
  /// Frees the idle blocks now, and all others as they are returned.
  void close();

 private:
  /// A loop holds one batch while the next is made, so more blocks are idle only if it held more batches before.
  static constexpr std::size_t kMostWaiting = 4;

  void put_back(Memory memory) noexcept;

  const std::int64_t block_bytes_;
  std::mutex mutex_;
  std::vector<Memory> waiting_;
  bool is_closed_ = false;
};

}  // namespace octavo::python
