// Host memory of batches that nobody holds any more, to be filled again.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace octavo::python {

/// Blocks of one size. A fresh block costs a page fault for every 4 KiB of it, which takes longer than filling it with
/// a batch; a block that was used before costs nothing. Safe to use from several threads.
class RecycledMemory : public std::enable_shared_from_this<RecycledMemory> {
 public:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<std::byte, Free>;

  /// A block on loan: it goes back with this, however long that is after the loader is gone.
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
  /// Lets go of the blocks that wait, and of all others when they come back.
  void close();

 private:
  /// A loop holds one batch while the next is made; more wait only if it held more before.
  static constexpr std::size_t kMostWaiting = 4;

  void put_back(Memory memory) noexcept;

  const std::int64_t block_bytes_;
  std::mutex mutex_;
  std::vector<Memory> waiting_;
  bool is_closed_ = false;
};

}  // namespace octavo::python
