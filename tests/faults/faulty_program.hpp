// Running the program while something in the system goes wrong.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "../tools/program.hpp"
#include "preload/control.hpp"

namespace octavo::test {

/// What is to go wrong in a run.
struct Fault {
  std::uint32_t calls = 0;  ///< of these kinds (faults::bit)
  faults::Action action = faults::Action::none;
  int error_number = 0;
  std::int64_t at = 0;  ///< the call that fails, counted from 1
  bool from_then_on = false;
  std::filesystem::path within = {};  ///< only files there; empty: all
};

/// What a run left, and what had gone wrong in it.
struct FaultyOutcome : Outcome {
  bool has_failed = false;             ///< the call was reached
  std::int64_t counted = 0;            ///< calls of these kinds
  std::int64_t failed_in_library = 0;  ///< of them, allocations of HDF5 or OpenBLAS
  std::int64_t descriptors_left = 0;   ///< that were not closed
  std::string failed_call;
  bool hung = false;  ///< it did not end by itself

  /// Everything, on a line, for a test that fails.
  std::string description() const;
  /// Whether the program ended as it does when its work cannot be done: a line, exit code 1, nothing left open.
  bool is_clean_error() const;
};

/// Runs `octavo` with these arguments; `trace` is a file to which what it does to files is appended, or empty.
FaultyOutcome run_with_fault(const std::vector<std::string>& arguments, const Fault& fault,
                             const std::filesystem::path& trace = {});

/// Why programs cannot be preloaded in this build, or nothing.
std::string why_no_faults(std::uint32_t calls);

}  // namespace octavo::test
