// The blocks of a grid, their warps, and the fragments of a warp: the lanes that are at one instruction.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "checks/access_history.hpp"
#include "machine/registers.hpp"
#include "ptx/module.hpp"

namespace device_code {

struct Dimensions {
  u32 x = 1, y = 1, z = 1;
  u64 count() const { return u64{x} * y * z; }
};

/// Memory with the bits of it that are undefined.
struct TrackedBytes {
  std::vector<u8> bytes, undefined;

  /// Makes it `size` bytes; those from `first_new` on are undefined.
  void resize(u64 size, u64 first_new);
};

/// Where a call returns to.
struct Return {
  const Function* function;
  int call;  ///< the index of the call
  u32 first_register;
  u64 local_begin, frame_begin;
  bool operator==(const Return&) const = default;
};

enum class FragmentState : u8 { running, at_block_barrier, at_warp_barrier };

/// Lanes of a warp that execute together.
struct Fragment {
  u32 lanes = 0;
  FragmentState state = FragmentState::running;
  const Function* function = nullptr;
  int next = 0;  ///< the index of the next instruction
  u32 first_register = 0;
  u64 local_begin = 0, frame_begin = 0;
  std::vector<Return> returns;
  u32 awaited_lanes = 0;  ///< at a warp barrier

  const Instruction& instruction() const { return function->code[static_cast<std::size_t>(next)]; }
  bool is_at_same_place(const Fragment& other) const;
};

/// A clock for each lane of a warp: the lane's accesses up to it are ordered before something, such as an access of
/// another lane.
using Clocks = std::array<u32, kWarpLanes>;
/// Keeps the later clock of each lane.
void join(Clocks& clocks, const Clocks& other);

/// What blocks did that is ordered before something: all before an epoch of the block, and in that epoch, all up to a
/// clock of each lane.
class OtherBlocks {
 public:
  void learn(u32 block, u32 epoch, u32 warp, const Clocks& clocks);
  void learn(const OtherBlocks& other);
  bool knows(const Moment& moment) const;
  /// The number of blocks, other than `block`, that this has something about.
  u64 count_without(u32 block) const { return blocks_.size() - blocks_.count(block); }

 private:
  struct Known {
    u32 epoch = 0;
    std::map<u32, Clocks> warps;
  };
  std::map<u32, Known> blocks_;
};

/// A thread's part in the order of memory accesses between blocks.
struct ThreadOrder {
  bool is_fenced = false;
  u32 fence_epoch = 0;
  Clocks fence_clocks{};  ///< of its warp
  OtherBlocks read;       ///< by atomics; known after the next fence
  OtherBlocks acquired;
};

struct Block;

struct Warp {
  Block* block = nullptr;
  u32 index = 0;
  u32 lanes = 0;  ///< with a thread of the block
  Registers registers;
  std::vector<Fragment> fragments;
  std::array<TrackedBytes, kWarpLanes> local, frame;
  /// clocks[lane][other]: accesses of `other` up to this clock are ordered before the next access of `lane`.
  std::array<Clocks, kWarpLanes> clocks{};
  std::array<ThreadOrder, kWarpLanes> orders;

  u32 live_lanes() const;
  Moment moment(u32 lane) const;
};

struct Block {
  u32 number = 0;
  std::array<u32, 3> index{};
  u32 serial = 0;  ///< unique among all blocks of all launches
  u32 epoch = 1;   ///< counts its barriers
  std::vector<std::unique_ptr<Warp>> warps;
  TrackedBytes shared;
  AccessHistory shared_history;
  OtherBlocks acquired;

  bool is_done() const;
};

}  // namespace device_code
