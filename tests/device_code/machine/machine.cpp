// Schedules blocks, warps and the fragments of a warp.
#include "machine/machine.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "machine/compute.hpp"

namespace device_code {
namespace {

constexpr u64 kNoBudget = std::numeric_limits<u64>::max();

std::string thread_name(const Warp& warp, u32 lane) {
  const auto& index = warp.block->index;
  return "block (" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " + std::to_string(index[2]) +
         "), thread " + std::to_string(warp.index * kWarpLanes + lane);
}

u32 first_lane(u32 lanes) { return static_cast<u32>(__builtin_ctz(lanes)); }

}  // namespace

void Machine::report(Fault fault, const Step& step, u32 lane, const std::string& detail) {
  findings.report(fault, step.instruction,
                  [&] { return thread_name(step.warp, lane) + (detail.empty() ? "" : ", " + detail); });
}

void Machine::launch(const Function& kernel, Dimensions grid, Dimensions block,
                     const std::vector<const void*>& arguments) {
  ++launch_number_;
  ++counts.launches;
  kernel_ = &kernel;
  findings.set_kernel(&kernel);
  grid_ = grid;
  block_ = block;
  random_.seed(options.seed + launch_number_);
  released_.clear();
  last_object_ = nullptr;
  set_parameters(arguments);
  if (block.count() > kernel.most_threads) {
    findings.report(Fault::block_size, kernel.code[0], [&] { return std::to_string(block.count()) + " threads"; });
  }
  run_blocks();
}

void Machine::set_parameters(const std::vector<const void*>& arguments) {
  parameters_.resize(kernel_->parameter_bytes, 0);
  for (std::size_t k = 0; k < kernel_->parameters.size(); ++k) {
    const Parameter& parameter = kernel_->parameters[k];
    std::memcpy(parameters_.bytes.data() + parameter.offset, arguments.at(k), parameter.bytes);
    std::fill_n(parameters_.undefined.begin() + static_cast<std::ptrdiff_t>(parameter.offset), parameter.bytes, u8{0});
  }
}

void Machine::run_blocks() {
  order_.resize(grid_.count());
  std::iota(order_.begin(), order_.end(), u64{0});
  if (options.is_random) std::shuffle(order_.begin(), order_.end(), random_);
  next_block_ = 0;
  blocks_.clear();
  while (next_block_ < order_.size() || !blocks_.empty()) {
    while (next_block_ < order_.size() && blocks_.size() < options.resident_blocks) start_block(order_[next_block_++]);
    if (options.is_random) run_random_warp();
    bool can_go_on = run_all_warps();
    for (const auto& one : blocks_) can_go_on |= open_block_barrier(*one);
    can_go_on |= finish_blocks();
    if (!can_go_on) return report_deadlock();
  }
}

void Machine::start_block(u64 number) {
  blocks_.push_back(std::make_unique<Block>());
  Block& block = *blocks_.back();
  block.number = static_cast<u32>(number);
  block.index = {static_cast<u32>(number % grid_.x), static_cast<u32>(number / grid_.x % grid_.y),
                 static_cast<u32>(number / grid_.x / grid_.y)};
  block.serial = ++block_serial_;
  block.shared.resize(kernel_->shared_bytes, 0);
  for (u64 first = 0; first < block_.count(); first += kWarpLanes) start_warp(block, first);
}

/// Adds a warp whose lanes are at the start of the kernel.
void Machine::start_warp(Block& block, u64 first_thread) {
  ++counts.warps;
  block.warps.push_back(std::make_unique<Warp>());
  Warp& warp = *block.warps.back();
  warp.block = &block;
  warp.index = static_cast<u32>(first_thread / kWarpLanes);
  warp.lanes =
      static_cast<u32>(low_bits(static_cast<unsigned>(std::min<u64>(block_.count() - first_thread, kWarpLanes))));
  if (!spare_registers_.empty()) {
    warp.registers = std::move(spare_registers_.back());
    spare_registers_.pop_back();
    warp.registers.forget_all();
  }
  warp.registers.grow(kernel_->register_bits.size());
  for (u32 lane = 0; lane < kWarpLanes; ++lane) {
    warp.local[lane].resize(kernel_->local_bytes, 0);
    warp.frame[lane].resize(kernel_->frame_bytes, 0);
    warp.clocks[lane][lane] = 1;
  }
  Fragment fragment;
  fragment.lanes = warp.lanes;
  fragment.function = kernel_;
  warp.fragments.push_back(std::move(fragment));
}

/// Runs some warp of some block for a while.
void Machine::run_random_warp() {
  for (u32 attempt = 0; attempt < 256; ++attempt) {
    Block& block = *blocks_[random_() % blocks_.size()];
    run_warp(*block.warps[random_() % block.warps.size()], 1 + random_() % 40);
  }
}

bool Machine::run_all_warps() {
  bool any_ran = false;
  for (const auto& block : blocks_) {
    for (const auto& warp : block->warps) any_ran |= run_warp(*warp, options.is_random ? 5 : kNoBudget);
  }
  return any_ran;
}

bool Machine::finish_blocks() {
  return std::erase_if(blocks_, [&](const auto& block) {
           if (!block->is_done()) return false;
           for (auto& warp : block->warps) spare_registers_.push_back(std::move(warp->registers));
           return true;
         }) > 0;
}

void Machine::report_deadlock() {
  for (const auto& block : blocks_) {
    for (const auto& warp : block->warps) {
      for (const Fragment& fragment : warp->fragments) {
        findings.report(Fault::deadlock, fragment.instruction(),
                        [&] { return thread_name(*warp, first_lane(fragment.lanes)) + " waits forever"; });
      }
    }
  }
  blocks_.clear();
}

bool Machine::run_warp(Warp& warp, u64 budget) {
  bool any_ran = false;
  while (budget > 0) {
    Fragment fragment = options.is_random ? take_some(warp) : take_next(warp);
    if (fragment.lanes == 0) return any_ran;
    any_ran = true;
    const u64 steps = options.is_random ? std::min<u64>(budget, 1 + random_() % 12) : budget;
    run_fragment(warp, std::move(fragment), steps);
    if (budget != kNoBudget) budget -= steps;
  }
  return any_ran;
}

/// Takes the fragment that is in the deepest call, and there at the first instruction, and joins all others at the same
/// place. This way, lanes that part meet again as early as possible. The result has no lanes if no fragment can run.
Fragment Machine::take_next(Warp& warp) {
  Fragment* first = nullptr;
  for (Fragment& fragment : warp.fragments) {
    if (fragment.state != FragmentState::running) continue;
    const bool is_deeper = first != nullptr && fragment.returns.size() != first->returns.size()
                               ? fragment.returns.size() > first->returns.size()
                               : first == nullptr || fragment.next < first->next;
    if (is_deeper) first = &fragment;
  }
  if (first == nullptr) return {};
  Fragment taken = std::move(*first);
  warp.fragments.erase(warp.fragments.begin() + (first - warp.fragments.data()));
  std::erase_if(warp.fragments, [&](const Fragment& other) {
    if (!other.is_at_same_place(taken)) return false;
    taken.lanes |= other.lanes;
    return true;
  });
  return taken;
}

/// Takes a fragment at random, and sometimes only some of its lanes: lanes need not stay together.
Fragment Machine::take_some(Warp& warp) {
  std::vector<std::size_t> running;
  for (std::size_t k = 0; k < warp.fragments.size(); ++k) {
    if (warp.fragments[k].state == FragmentState::running) running.push_back(k);
  }
  if (running.empty()) return {};
  const std::size_t chosen = running[random_() % running.size()];
  Fragment taken = std::move(warp.fragments[chosen]);
  warp.fragments.erase(warp.fragments.begin() + static_cast<std::ptrdiff_t>(chosen));
  if (random_() % 2 == 0) {
    std::erase_if(warp.fragments, [&](const Fragment& other) {
      if (!other.is_at_same_place(taken)) return false;
      taken.lanes |= other.lanes;
      return true;
    });
  } else if (random_() % 4 == 0) {
    const u32 left = taken.lanes & static_cast<u32>(random_());
    if (left != 0 && left != taken.lanes) warp.fragments.push_back(split(taken, left));
  }
  return taken;
}

/// Removes lanes from a fragment, and returns them as another one.
Fragment Machine::split(Fragment& fragment, u32 lanes) {
  Fragment other = fragment;
  other.lanes = lanes;
  fragment.lanes &= ~lanes;
  return other;
}

/// The instruction at which a fragment meets another one that waits for it.
int Machine::next_meeting(const Warp& warp, const Fragment& fragment) {
  int meeting = std::numeric_limits<int>::max();
  for (const Fragment& other : warp.fragments) {
    if (other.state == FragmentState::running && other.returns.size() == fragment.returns.size()) {
      meeting = std::min(meeting, other.next);
    }
  }
  return meeting;
}

void Machine::run_fragment(Warp& warp, Fragment fragment, u64 budget) {
  const std::size_t depth = fragment.returns.size();
  const int meeting = options.is_random ? std::numeric_limits<int>::max() : next_meeting(warp, fragment);
  for (; budget > 0; --budget) {
    const Instruction& instruction = fragment.instruction();
    const u32 lanes = guarded_lanes(warp, fragment, instruction);
    ++counts.warp_instructions;
    counts.lane_instructions += static_cast<u64>(__builtin_popcount(lanes));
    if (!execute(warp, fragment, instruction, lanes)) return;
    const std::size_t now = fragment.returns.size();
    if (now < depth || (now == depth && fragment.next >= meeting)) break;
  }
  warp.fragments.push_back(std::move(fragment));
}

/// The lanes that execute an instruction according to its guard.
u32 Machine::guarded_lanes(Warp& warp, Fragment& fragment, const Instruction& instruction) {
  if (instruction.guard < 0) return fragment.lanes;
  const std::size_t reg = fragment.first_register + static_cast<std::size_t>(instruction.guard);
  if (const u32 undefined = warp.registers.undefined_lanes(reg) & fragment.lanes; undefined != 0) {
    report(Fault::undefined_branch, {*this, warp, fragment, instruction, undefined}, first_lane(undefined));
  }
  const u32 predicate = warp.registers.predicate(reg);
  return fragment.lanes & (instruction.is_guard_negated ? ~predicate : predicate);
}

bool Machine::execute(Warp& warp, Fragment& fragment, const Instruction& instruction, u32 lanes) {
  if (instruction.op == Op::bra) return branch(warp, fragment, instruction, lanes);
  if (lanes != 0) {
    const Step step{*this, warp, fragment, instruction, lanes};
    switch (instruction.op) {
      case Op::call:
        return call(warp, fragment, instruction, lanes);
      case Op::ret:
        return return_from(warp, fragment, lanes);
      case Op::exit_:
        return end(warp, fragment, lanes);
      case Op::bar_sync:
        return wait_for_block(warp, fragment, lanes);
      case Op::bar_warp_sync:
      case Op::shfl:
      case Op::vote:
        return wait_for_warp(warp, fragment, instruction, lanes);
      case Op::ld:
        load(step);
        break;
      case Op::st:
        store(step);
        break;
      case Op::atom:
      case Op::red:
        atomic(step);
        break;
      case Op::fence:
        fence(step);
        break;
      case Op::trap:
        report(Fault::trap, step, first_lane(lanes));
        break;
      default:
        compute(step);
    }
  }
  ++fragment.next;
  return true;
}

const Lanes& Machine::values(const Step& step, const Operand& operand, Lanes& space) const {
  const Warp& warp = step.warp;
  switch (operand.kind) {
    case Operand::Kind::reg:
      return warp.registers.values(step.register_of(operand));
    case Operand::Kind::constant:
      space.fill(operand.value);
      return space;
    case Operand::Kind::local:
      space.fill(step.fragment.local_begin + operand.value);
      return space;
    case Operand::Kind::frame:
      space.fill(kFrameWindow + step.fragment.frame_begin + operand.value);
      return space;
    case Operand::Kind::special:
      for (u32 lane = 0; lane < kWarpLanes; ++lane)
        space[lane] = special_value(warp, lane, static_cast<Special>(operand.value));
      return space;
    case Operand::Kind::discarded:
    case Operand::Kind::none:
      break;
  }
  space.fill(0);
  return space;
}

u64 Machine::special_value(const Warp& warp, u32 lane, Special special) const {
  const u32 thread = warp.index * kWarpLanes + lane;
  switch (special) {
    case Special::tid_x:
      return thread % block_.x;
    case Special::tid_y:
      return thread / block_.x % block_.y;
    case Special::tid_z:
      return thread / block_.x / block_.y;
    case Special::ntid_x:
      return block_.x;
    case Special::ntid_y:
      return block_.y;
    case Special::ntid_z:
      return block_.z;
    case Special::ctaid_x:
      return warp.block->index[0];
    case Special::ctaid_y:
      return warp.block->index[1];
    case Special::ctaid_z:
      return warp.block->index[2];
    case Special::nctaid_x:
      return grid_.x;
    case Special::nctaid_y:
      return grid_.y;
    case Special::nctaid_z:
      return grid_.z;
    case Special::laneid:
      return lane;
    case Special::warpid:
      return warp.index;
  }
  return 0;
}

u32 Machine::undefined_lanes(const Step& step, const Operand& operand) {
  return operand.kind == Operand::Kind::reg ? step.warp.registers.undefined_lanes(step.register_of(operand)) : 0;
}

u64 Machine::undefined_bits(const Step& step, const Operand& operand, u32 lane) {
  return operand.kind == Operand::Kind::reg ? step.warp.registers.undefined_bits(step.register_of(operand), lane) : 0;
}

}  // namespace device_code
