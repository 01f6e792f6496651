// Finds data races. Keeps the last accesses to each byte, and checks whether a later access is ordered after them.
//
// A program that follows the CUDA memory model orders accesses by barriers of blocks and warps, and between blocks by
// an atomic after a fence and before a fence. Whether two accesses are ordered does not depend on the order that they
// happen to run in.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "checks/findings.hpp"
#include "ptx/instruction.hpp"

namespace device_code {

/// When a thread did something, in barriers that it had passed.
struct Moment {
  u32 block = 0;
  u16 thread = 0;
  u32 epoch = 0;  ///< counts barriers of the block
  u32 clock = 0;  ///< counts barriers of the thread and fences in its warp
};

/// What a thread knows to have happened before.
class Knowledge {
 public:
  virtual ~Knowledge() = default;
  /// Whether `moment` is ordered before the present.
  virtual bool knows(const Moment& moment) const = 0;
  /// Whether everything that the threads of a block did up to `epoch` is ordered before the present.
  virtual bool knows_block(u32 block, u32 epoch) const = 0;
  /// Whether everything that other blocks did before their last release is ordered before the present.
  virtual bool knows_all_blocks() const = 0;
};

/// An access to some bytes by a thread.
struct Access {
  Moment now;
  const Knowledge& knowledge;
  u32 line;  ///< in the PTX
  bool is_write = false, is_atomic = false, is_noncoherent = false;
};

/// A fault, and the earlier of its two accesses.
struct Race {
  Fault fault;
  Moment earlier;
  u32 earlier_line;
};

/// The accesses to the bytes of an object, or of the shared memory of a block, during one launch or block.
class AccessHistory {
 public:
  /// Notes an access to `bytes` bytes at `offset`. `serial` is the number of the launch or block: what happened in
  /// others is forgotten.
  std::optional<Race> note(u32 serial, u64 object_bytes, u64 offset, u32 bytes, const Access& access);

 private:
  enum class Written : u8 { no, plainly, by_atomics_of_warp, by_atomics_of_block, by_atomics_of_blocks };
  enum class Read : u8 { no, by_warp, by_block, by_blocks };

  struct Write {
    Moment moment;
    u32 line = 0;
  };
  /// The last accesses to some bytes.
  struct Cell {
    u32 serial = 0;
    Written written = Written::no;
    Read read = Read::no;
    bool was_read_noncoherently = false;
    bool was_written_plainly = false;  ///< before the atomics that followed
    Write write, plain_write;
    u32 writers = 0;  ///< lanes of the warp with atomics that are not ordered among themselves; `write` is the last
    Moment last_read;
    u32 read_line = 0;
    u32 readers = 0;  ///< lanes of the warp of last_read, or an index in reading_blocks_
  };
  /// The blocks that have read some bytes, and the epochs of their last reads.
  using ReadingBlocks = std::vector<std::pair<u32, u32>>;
  static constexpr u32 kWordBytes = 4, kPageWords = 256;
  /// Cells of whole words; `split` is 0, or 1 + the index of the word's cells in bytes_.
  struct Page {
    u32 serial = 0;
    std::array<u32, kPageWords> split{};
    std::array<Cell, kPageWords> words{};
  };

  void start(u32 serial, u64 object_bytes);
  Page& page_of(u64 word);
  template <typename Visit>
  void visit_cells(u64 offset, u32 bytes, const Visit& visit);
  std::optional<Race> note(Cell& cell, const Access& access);
  static const Write* unordered_write(const Cell& cell, const Access& access);
  bool are_reads_ordered(const Cell& cell, const Access& access) const;
  static bool are_atomics_ordered(const Cell& cell, const Access& access);
  static void note_write(Cell& cell, const Access& access);
  static void note_atomic(Cell& cell, const Access& access);
  void note_read(Cell& cell, const Access& access);
  void note_reading_block(Cell& cell, const Moment& now);

  u32 serial_ = 0;
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<std::array<Cell, kWordBytes>> bytes_;
  std::vector<ReadingBlocks> reading_blocks_;
};

}  // namespace device_code
