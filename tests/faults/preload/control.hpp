// The interface between a test and the preloaded library: a page of memory that both map.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace octavo::faults {

/// Kinds of calls that can be counted and made to fail.
enum class Call : std::uint32_t {
  write,        ///< write, pwrite, writev
  sync,         ///< fsync, fdatasync, of files and folders; syncfs
  rename,       ///< rename, renameat2, link
  open,         ///< open, mkostemp, fopen, opendir
  read,         ///< read, pread, preadv
  allocate,     ///< fallocate
  truncate,     ///< ftruncate
  remove,       ///< unlink, rmdir
  make_folder,  ///< mkdir
  memory,       ///< malloc and its family, and thus operator new
};

constexpr std::uint32_t bit(Call call) { return std::uint32_t{1} << static_cast<std::uint32_t>(call); }
constexpr std::uint32_t kEveryCall = 0x3FF;
/// All calls that change the disk.
constexpr std::uint32_t kChangingCalls = kEveryCall & ~(bit(Call::read) | bit(Call::memory));

/// What happens to the selected call.
enum class Action : std::uint32_t {
  none,           ///< nothing; the call is only counted
  fail,           ///< the call does nothing and returns the error
  cut_short,      ///< the call transfers half of the requested bytes, but at least one
  kill,           ///< the process is killed before the call
  kill_half_way,  ///< same, but a write first writes half of its bytes
};

/// The page. The test sets the first part before the program starts; the program updates the second part.
struct Control {
  std::uint32_t calls = 0;  ///< kinds of calls to count, as bits
  Action action = Action::none;
  std::int32_t error_number = 0;
  std::int32_t from_then_on = 0;  ///< not 0: every later call fails too
  std::int64_t at = 0;            ///< the call that fails, counted from 1; 0: none
  char within[1024] = {};         ///< only calls on files at or below this path; empty: all calls

  std::atomic<std::int64_t> counted{0};
  std::atomic<std::int64_t> failed{0};
  std::atomic<std::int64_t> descriptors_left{0};   ///< open when the program ended, beyond those it began with
  std::atomic<std::int64_t> failed_in_library{0};  ///< failed allocations of HDF5 or OpenBLAS
  char failed_call[256] = {};                      ///< which call it was, for messages
};

/// Environment variables with the path of the file that holds the page, and of the file that the trace (trace.hpp) is
/// appended to.
constexpr const char* kControlVariable = "OCTAVO_FAULT_CONTROL";
constexpr const char* kTraceVariable = "OCTAVO_FAULT_TRACE";

}  // namespace octavo::faults
