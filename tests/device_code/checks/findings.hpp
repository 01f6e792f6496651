// What is wrong with the code that ran: each fault once for each instruction, with an example.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/instruction.hpp"

namespace device_code {

enum class Fault : u8 {
  out_of_bounds,     ///< an access that is not within one object
  misaligned,        ///< an address that is not a multiple of the access's bytes
  wrong_space,       ///< an address that is not in the memory that the instruction names
  parameter_store,   ///< a store to the parameters of a kernel
  undefined_branch,  ///< a branch or guard that depends on an undefined value
  undefined_address,
  undefined_operand,  ///< an undefined operand of an atomic, a shuffle's lane, or a mask of lanes
  undefined_store,    ///< an undefined value stored to global memory
  read_after_write,   ///< two accesses without an order, at least one of them a write
  write_after_write,
  write_after_read,
  noncoherent_load,        ///< ld.global.nc of bytes that the same launch writes
  divergent_barrier,       ///< threads of a warp that wait at different barriers, or do not reach one
  divergent_warp_barrier,  ///< lanes that wait at different instructions
  absent_lane,             ///< a shuffle that reads a lane that does not take part
  not_in_mask,             ///< a lane that is not in the mask it gives
  deadlock,
  block_size,  ///< more threads than .maxntid allows
  division_by_zero,
  conversion_range,  ///< a float that does not fit the integer: results of host and device differ
  trap,
};
std::string_view name_of(Fault fault);

struct Finding {
  Fault fault;
  std::string kernel;   ///< demangled
  std::string source;   ///< where the instruction comes from
  std::string example;  ///< the instruction, and the first thread
  u64 count = 1;
};

class Findings {
 public:
  /// Records a fault of an instruction; `example` is called only for the first one.
  void report(Fault fault, const Instruction& instruction, const std::function<std::string()>& example);
  void set_kernel(const Function* kernel) { kernel_ = kernel; }

  const std::vector<Finding>& all() const { return findings_; }
  u64 count(Fault fault) const;
  void clear();
  /// One line for each finding.
  std::string text() const;

 private:
  const Function* kernel_ = nullptr;
  std::vector<Finding> findings_;
  std::map<std::pair<Fault, const Instruction*>, std::size_t> numbers_;
};

/// The C++ name of a mangled one.
std::string demangled(const std::string& name);

}  // namespace device_code
