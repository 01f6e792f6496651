// Runs the program while system calls or allocations fail.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "../tools/program.hpp"
#include "preload/control.hpp"

namespace octavo::test {

/// The fault to inject into a run.
struct Fault {
  std::uint32_t calls = 0;  ///< affected kinds of calls, as faults::bit values
  faults::Action action = faults::Action::none;
  int error_number = 0;
  std::int64_t at = 0;  ///< the call that fails, counted from 1
  bool from_then_on = false;
  std::filesystem::path within = {};  ///< only calls on files at or below this path; empty: all
};

/// The outcome of a run, and the faults that happened in it.
struct FaultyOutcome : Outcome {
  bool has_failed = false;             ///< the fault was reached
  std::int64_t counted = 0;            ///< number of calls of the affected kinds
  std::int64_t failed_in_library = 0;  ///< failed calls that are allocations of HDF5 or OpenBLAS
  std::int64_t descriptors_left = 0;   ///< file descriptors that were not closed
  std::string failed_call;
  bool hung = false;  ///< did not end in time and was killed

  /// All details on one line, for failure messages.
  std::string description() const;
  /// Whether the program ended with a clean error: a one-line message, exit code 1, no open descriptors.
  bool is_clean_error() const;
};

/// Runs `program`, or `octavo`, with these arguments. If `trace` is not empty, appends a record of all file changes to
/// that file.
FaultyOutcome run_with_fault(const std::vector<std::string>& arguments, const Fault& fault,
                             const std::filesystem::path& trace = {}, const std::string& program = "");

/// Why faults cannot be injected in this build; empty if they can.
std::string why_no_faults(std::uint32_t calls);

}  // namespace octavo::test
