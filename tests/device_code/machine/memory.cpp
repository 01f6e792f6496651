// Loads, stores and atomics.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "machine/bit_operations.hpp"
#include "machine/machine.hpp"

namespace device_code {
namespace {

std::string hexadecimal(u64 value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string access_text(u64 address, u32 bytes) { return std::to_string(bytes) + " bytes at " + hexadecimal(address); }

/// What a lane knows to have happened before its next access.
class LaneKnowledge : public Knowledge {
 public:
  LaneKnowledge(const Warp& warp, u32 lane, u64 block_count) : warp_(warp), lane_(lane), block_count_(block_count) {}

  bool knows(const Moment& moment) const override {
    return knows_by_barriers(moment) || order().acquired.knows(moment) || warp_.block->acquired.knows(moment);
  }
  bool knows_block(u32 block, u32 epoch) const override {
    constexpr u16 kNoThread = 0xFFFF;
    if (block == warp_.block->number) return epoch < warp_.block->epoch;
    return knows({block, kNoThread, epoch, 0});
  }
  bool knows_all_blocks() const override {
    return std::max(order().acquired.count_without(warp_.block->number),
                    warp_.block->acquired.count_without(warp_.block->number)) +
               1 >=
           block_count_;
  }

 private:
  bool knows_by_barriers(const Moment& moment) const {
    const Block& block = *warp_.block;
    if (moment.block != block.number) return false;
    const u32 thread = warp_.index * kWarpLanes + lane_;
    if (moment.thread == thread || moment.epoch < block.epoch) return true;
    return moment.thread / kWarpLanes == warp_.index && warp_.clocks[lane_][moment.thread % kWarpLanes] >= moment.clock;
  }
  const ThreadOrder& order() const { return warp_.orders[lane_]; }

  const Warp& warp_;
  u32 lane_;
  u64 block_count_;
};

u64 sum_of(Type type, u64 a, u64 b) {
  if (!type.is_real()) return a + b;
  if (type.bits == 64) return std::bit_cast<u64>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
  return std::bit_cast<u32>(std::bit_cast<float>(static_cast<u32>(a)) + std::bit_cast<float>(static_cast<u32>(b)));
}

bool is_less(Type type, u64 a, u64 b) {
  if (!type.is_signed()) return a < b;
  return static_cast<i64>(sign_extended(a, type.bits)) < static_cast<i64>(sign_extended(b, type.bits));
}

/// The value that an atomic writes.
u64 atomic_result(const Instruction& i, u64 old, u64 operand, u64 replacement) {
  switch (i.atomic) {
    case Atomic::add:
      return sum_of(i.type, old, operand);
    case Atomic::exchange:
      return operand;
    case Atomic::min:
      return is_less(i.type, operand, old) ? operand : old;
    case Atomic::max:
      return is_less(i.type, old, operand) ? operand : old;
    case Atomic::compare_and_swap:
      return old == operand ? replacement : old;
    case Atomic::and_:
      return old & operand;
    case Atomic::or_:
      return old | operand;
    case Atomic::xor_:
      return old ^ operand;
    case Atomic::none:
      break;
  }
  throw std::runtime_error("PTX line " + std::to_string(i.ptx_line) + ": an atomic without an operation");
}

}  // namespace

bool Machine::find_place(const Step& step, u32 lane, u64 address, u32 bytes, Place& place) {
  if (address % bytes != 0) report(Fault::misaligned, step, lane, access_text(address, bytes));
  const u64 window = address & kWindowMask, offset = address & ~kWindowMask;
  // Addresses of parameters always have their window; those of other memories only where they are generic.
  const Space named = step.instruction.space;
  const auto is_in = [&](Space space, u64 space_window) {
    return named == space && space != Space::parameter
               ? window == 0
               : (named == space || named == Space::generic) && window == space_window;
  };
  if (is_in(Space::global, 0)) {
    return find_global(step, lane, address, bytes, place);
  } else if (is_in(Space::shared, kSharedWindow)) {
    Block& block = *step.warp.block;
    if (!find_in(block.shared, step, lane, offset - kSharedBegin, bytes, place)) return false;
    if (options.finds_races) place.history = &block.shared_history;
    place.serial = block.serial;
    return true;
  } else if (is_in(Space::local, kLocalWindow)) {
    return find_in(step.warp.local[lane], step, lane, offset, bytes, place);
  } else if (is_in(Space::parameter, kParameterWindow)) {
    return find_in(parameters_, step, lane, offset - kParameterBegin, bytes, place);
  } else if (is_in(Space::parameter, kFrameWindow)) {
    return find_in(step.warp.frame[lane], step, lane, offset, bytes, place);
  }
  report(Fault::wrong_space, step, lane, access_text(address, bytes));
  return false;
}

bool Machine::find_in(TrackedBytes& memory, const Step& step, u32 lane, u64 offset, u32 bytes, Place& place) {
  if (offset > memory.bytes.size() || memory.bytes.size() - offset < bytes) {
    report(Fault::out_of_bounds, step, lane,
           access_text(offset, bytes) + " of memory of " + std::to_string(memory.bytes.size()) + " bytes");
    return false;
  }
  place.bytes = memory.bytes.data() + offset;
  place.undefined = memory.undefined.data() + offset;
  place.object_bytes = memory.bytes.size();
  place.offset = offset;
  return true;
}

bool Machine::find_global(const Step& step, u32 lane, u64 address, u32 bytes, Place& place) {
  MemoryObject* object = last_object_;
  if (object == nullptr || address < object->begin || address >= object->end) object = memory_.find(address);
  if (object == nullptr || object->end - address < bytes) {
    const std::string where =
        object == nullptr ? "in no object"
                          : "past the end of an object of " + std::to_string(object->end - object->begin) + " bytes";
    report(Fault::out_of_bounds, step, lane, access_text(address, bytes) + ", " + where);
    return false;
  }
  last_object_ = object;
  place.bytes = reinterpret_cast<u8*>(address);
  place.offset = address - object->begin;
  place.object_bytes = object->end - object->begin;
  if (!object->undefined.empty()) place.undefined = object->undefined.data() + place.offset;
  if (options.finds_races) place.history = &object->history;
  place.serial = launch_number_;
  place.is_global = true;
  return true;
}

void Machine::note(const Step& step, u32 lane, const Place& place, u32 bytes, bool is_write, bool is_atomic) {
  if (place.history == nullptr) return;
  const LaneKnowledge knowledge(step.warp, lane, grid_.count());
  const Access access{
      step.warp.moment(lane),         knowledge, static_cast<u32>(step.instruction.ptx_line), is_write, is_atomic,
      step.instruction.is_noncoherent};
  const std::optional<Race> race = place.history->note(place.serial, place.object_bytes, place.offset, bytes, access);
  if (!race) return;
  report(race->fault, step, lane,
         std::to_string(bytes) + " bytes at offset " + std::to_string(place.offset) + "; before by thread " +
             std::to_string(race->earlier.thread) + " of block number " + std::to_string(race->earlier.block) +
             " at PTX line " + std::to_string(race->earlier_line));
}

void Machine::count_request(const Step& step, const Lanes& addresses, u32 bytes) {
  if (!options.counts_requests) return;
  const u64 window = addresses[static_cast<std::size_t>(__builtin_ctz(step.lanes))] & kWindowMask;
  const Space space = step.instruction.space;
  const bool is_load = step.instruction.op == Op::ld;
  if (space == Space::shared || (space == Space::generic && window == kSharedWindow))
    (is_load ? counts.shared_loads : counts.shared_stores).add(count_wavefronts(step.lanes, addresses, bytes));
  else if (space == Space::local || (space == Space::generic && window == kLocalWindow))
    ++counts.local_requests;
  else if (window == 0)
    (is_load ? counts.global_loads : counts.global_stores).add(count_sectors(step.lanes, addresses, bytes));
}

/// The addresses of a memory access.
Lanes Machine::addresses_of(const Step& step) const {
  Lanes space;
  Lanes addresses = values(step, step.instruction.from[0], space);
  for (u64& address : addresses) address += static_cast<u64>(step.instruction.address_offset);
  return addresses;
}

/// Reports an address that depends on undefined bits.
bool Machine::is_address_defined(const Step& step, u32 lane) {
  if (undefined_bits(step, step.instruction.from[0], lane) == 0) return true;
  report(Fault::undefined_address, step, lane);
  return false;
}

void Machine::load(const Step& step) {
  const Instruction& i = step.instruction;
  const u32 element = i.type.bytes(), bytes = element * static_cast<u32>(i.to.size());
  const Lanes addresses = addresses_of(step);
  const u32 undefined_addresses = undefined_lanes(step, i.from[0]) & step.lanes;
  u32 failed = 0;
  std::array<Place, kWarpLanes> places;
  for_each_lane(step.lanes, [&](u32 lane) {
    const bool is_defined = (undefined_addresses >> lane & 1) == 0 || is_address_defined(step, lane);
    if (!is_defined || !find_place(step, lane, addresses[lane], bytes, places[lane])) {
      failed |= 1u << lane;
      return;
    }
    note(step, lane, places[lane], bytes, false, false);
  });
  count_request(step, addresses, bytes);
  Registers& registers = step.warp.registers;
  for (std::size_t k = 0; k < i.to.size(); ++k) {
    if (i.to[k].kind != Operand::Kind::reg) continue;
    const std::size_t reg = step.register_of(i.to[k]);
    const u64 mask = low_bits(step.fragment.function->register_bits[i.to[k].value]);
    Lanes& to = registers.values(reg);
    registers.define(reg, step.lanes & ~failed);
    registers.forget(reg, 1, failed);
    for_each_lane(step.lanes & ~failed, [&](u32 lane) {
      const auto read = [&](const u8* from) {
        u64 value = 0;
        std::memcpy(&value, from + k * element, element);
        return (i.type.is_signed() ? sign_extended(value, i.type.bits) : value) & mask;
      };
      to[lane] = read(places[lane].bytes);
      const u8* const undefined = places[lane].undefined;
      if (undefined == nullptr) return;
      if (const u64 bits = read(undefined); bits != 0) registers.set_undefined_bits(reg, lane, bits);
    });
  }
}

void Machine::store(const Step& step) {
  const Instruction& i = step.instruction;
  const std::size_t count = i.from.size() - 1;
  const u32 element = i.type.bytes(), bytes = element * static_cast<u32>(count);
  const Lanes addresses = addresses_of(step);
  std::array<Lanes, 4> spaces;
  std::array<const Lanes*, 4> parts{};
  for (std::size_t k = 0; k < count; ++k) parts[k] = &values(step, i.from[k + 1], spaces[k]);
  for_each_lane(step.lanes, [&](u32 lane) {
    Place place;
    if (!is_address_defined(step, lane) || !find_place(step, lane, addresses[lane], bytes, place)) return;
    if ((addresses[lane] & kWindowMask) == kParameterWindow) return report(Fault::parameter_store, step, lane);
    note(step, lane, place, bytes, true, false);
    for (std::size_t k = 0; k < count; ++k) {
      const u64 value = (*parts[k])[lane], undefined = undefined_bits(step, i.from[k + 1], lane) & i.type.mask();
      std::memcpy(place.bytes + k * element, &value, element);
      if (place.undefined != nullptr) std::memcpy(place.undefined + k * element, &undefined, element);
      if (undefined != 0 && place.is_global) {
        report(Fault::undefined_store, step, lane, "bits " + hexadecimal(undefined));
      }
    }
  });
  count_request(step, addresses, bytes);
}

/// An atomic after a fence releases what the thread did before the fence. The next fence acquires what it reads.
void Machine::order_atomic(const Step& step, u32 lane, u64 address) {
  OtherBlocks& released = released_[address];
  ThreadOrder& order = step.warp.orders[lane];
  order.read.learn(released);
  if (!order.is_fenced) return;
  const Block& block = *step.warp.block;
  released.learn(block.number, order.fence_epoch, step.warp.index, order.fence_clocks);
  released.learn(order.acquired);
  released.learn(block.acquired);
}

void Machine::atomic(const Step& step) {
  const Instruction& i = step.instruction;
  const u32 bytes = i.type.bytes();
  const Lanes addresses = addresses_of(step);
  Lanes spaces[2];
  const Lanes operands = values(step, i.from[1], spaces[0]);
  const Lanes replacements = i.from.size() > 2 ? values(step, i.from[2], spaces[1]) : Lanes{};
  Lanes olds{};
  for_each_lane(step.lanes, [&](u32 lane) {
    u64 undefined = 0;
    for (std::size_t k = 1; k < i.from.size(); ++k) undefined |= undefined_bits(step, i.from[k], lane) & i.type.mask();
    if (undefined != 0) report(Fault::undefined_operand, step, lane);
    Place place;
    if (!is_address_defined(step, lane) || !find_place(step, lane, addresses[lane], bytes, place)) return;
    if (place.undefined != nullptr &&
        std::any_of(place.undefined, place.undefined + bytes, [](u8 u) { return u != 0; })) {
      report(Fault::undefined_operand, step, lane, "the memory");
      std::fill_n(place.undefined, bytes, u8{0});
    }
    note(step, lane, place, bytes, true, true);
    if (place.is_global && !i.is_within_block) order_atomic(step, lane, addresses[lane]);
    std::memcpy(&olds[lane], place.bytes, bytes);
    const u64 result = atomic_result(i, olds[lane], operands[lane] & i.type.mask(), replacements[lane] & i.type.mask());
    std::memcpy(place.bytes, &result, bytes);
  });
  count_request(step, addresses, bytes);
  if (i.to.empty() || i.to[0].kind != Operand::Kind::reg) return;
  const std::size_t reg = step.register_of(i.to[0]);
  step.warp.registers.define(reg, step.lanes);
  for_each_lane(step.lanes, [&](u32 lane) { step.warp.registers.values(reg)[lane] = olds[lane]; });
}

}  // namespace device_code
