// Runs kernels on the CPU, and checks every access: bounds, alignment, undefined values and races.
#pragma once

#include <memory>
#include <random>
#include <unordered_map>
#include <vector>

#include "checks/findings.hpp"
#include "checks/global_memory.hpp"
#include "checks/work_counts.hpp"
#include "machine/grid.hpp"
#include "ptx/module.hpp"

namespace device_code {

struct MachineOptions {
  /// Whether warps, and lanes of a warp, take turns at random. Otherwise a block runs to its end before the next, a
  /// warp to its next barrier, and lanes stay together.
  bool is_random = false;
  u32 seed = 1;
  u32 resident_blocks = 1;  ///< the number of blocks that take turns
  bool finds_races = true;
  bool counts_requests = false;  ///< sectors and wavefronts; doubles the time
};

class Machine;

/// An instruction, and the lanes that execute it.
struct Step {
  Machine& machine;
  Warp& warp;
  Fragment& fragment;
  const Instruction& instruction;
  u32 lanes;

  std::size_t register_of(const Operand& operand) const { return fragment.first_register + operand.value; }
};

/// A place in memory.
struct Place {
  u8* bytes = nullptr;
  u8* undefined = nullptr;  ///< null: all bits are defined
  AccessHistory* history = nullptr;
  u32 serial = 0;
  u64 object_bytes = 0, offset = 0;
  bool is_global = false;
};

class Machine {
 public:
  explicit Machine(GlobalMemory& memory) : memory_(memory) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  MachineOptions options;
  Findings findings;
  WorkCounts counts;

  /// Runs a grid to its end. `arguments` has the address of each parameter.
  void launch(const Function& kernel, Dimensions grid, Dimensions block, const std::vector<const void*>& arguments);

  // For the execution of instructions.
  /// The values of an operand in the lanes of a step, read from a register or filled into `space`.
  const Lanes& values(const Step& step, const Operand& operand, Lanes& space) const;
  /// The lanes of a step in which an operand has undefined bits.
  static u32 undefined_lanes(const Step& step, const Operand& operand);
  static u64 undefined_bits(const Step& step, const Operand& operand, u32 lane);
  void report(Fault fault, const Step& step, u32 lane, const std::string& detail = {});

 private:
  u64 special_value(const Warp& warp, u32 lane, Special special) const;

  // Scheduling.
  void set_parameters(const std::vector<const void*>& arguments);
  void run_blocks();
  void start_block(u64 number);
  void start_warp(Block& block, u64 first_thread);
  void run_random_warp();
  bool run_all_warps();
  bool finish_blocks();
  void report_deadlock();
  /// Runs a warp until its lanes wait, or for about `budget` instructions. Returns whether any lane ran.
  bool run_warp(Warp& warp, u64 budget);
  Fragment take_next(Warp& warp);
  Fragment take_some(Warp& warp);
  void run_fragment(Warp& warp, Fragment fragment, u64 budget);
  static int next_meeting(const Warp& warp, const Fragment& fragment);
  u32 guarded_lanes(Warp& warp, Fragment& fragment, const Instruction& instruction);

  // Instructions. Each returns whether the fragment goes on.
  bool execute(Warp& warp, Fragment& fragment, const Instruction& instruction, u32 lanes);
  bool branch(Warp& warp, Fragment& fragment, const Instruction& instruction, u32 lanes);
  bool call(Warp& warp, Fragment& fragment, const Instruction& instruction, u32 lanes);
  bool return_from(Warp& warp, Fragment& fragment, u32 lanes);
  bool end(Warp& warp, Fragment& fragment, u32 lanes);
  bool wait_for_block(Warp& warp, Fragment& fragment, u32 lanes);
  bool wait_for_warp(Warp& warp, Fragment& fragment, const Instruction& instruction, u32 lanes);
  static Fragment split(Fragment& fragment, u32 lanes);
  static void pass_others(Warp& warp, Fragment& fragment, u32 lanes);

  // Synchronization.
  bool open_block_barrier(Block& block);
  void check_block_barrier(Warp& warp);
  void open_warp_barriers(Warp& warp);
  void open_warp_barrier(Warp& warp, u32 lanes);
  static void order_lanes(Warp& warp, u32 lanes);
  void shuffle(const Step& step);
  void vote(const Step& step);
  static void fence(const Step& step);

  // Memory.
  Lanes addresses_of(const Step& step) const;
  bool is_address_defined(const Step& step, u32 lane);
  void load(const Step& step);
  void store(const Step& step);
  void atomic(const Step& step);
  void order_atomic(const Step& step, u32 lane, u64 address);
  bool find_place(const Step& step, u32 lane, u64 address, u32 bytes, Place& place);
  bool find_global(const Step& step, u32 lane, u64 address, u32 bytes, Place& place);
  bool find_in(TrackedBytes& memory, const Step& step, u32 lane, u64 offset, u32 bytes, Place& place);
  void note(const Step& step, u32 lane, const Place& place, u32 bytes, bool is_write, bool is_atomic);
  void count_request(const Step& step, const Lanes& addresses, u32 bytes);

  GlobalMemory& memory_;
  const Function* kernel_ = nullptr;
  Dimensions grid_, block_;
  TrackedBytes parameters_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<u64> order_;  ///< of the blocks, if it is random
  u64 next_block_ = 0;
  u32 launch_number_ = 0, block_serial_ = 0;
  std::mt19937 random_;
  MemoryObject* last_object_ = nullptr;
  std::unordered_map<u64, OtherBlocks> released_;  ///< by the address of an atomic
  std::vector<Registers> spare_registers_;
};

}  // namespace device_code
