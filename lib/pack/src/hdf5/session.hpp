// Using the HDF5 library safely from a library: one thread at a time, no messages of its own, every result checked.
#pragma once

#include <hdf5.h>

#include <mutex>
#include <string>
#include <string_view>

#include <octavo/errors.hpp>

namespace octavo::hdf5 {

/// While one lives, this thread has the HDF5 library to itself, and the library prints no errors. All calls to HDF5,
/// and the destruction of handles, happen inside one. Sessions may nest.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  H5E_auto2_t previous_print_ = nullptr;
  void* previous_print_data_ = nullptr;
};

/// To be called first in a child that was forked inside a Session: gives the library to the child. The session itself
/// is the parent's, and must not be destroyed in the child.
void take_over_after_fork();

/// The innermost reason on HDF5's error stack, on one line.
std::string last_error();

/// Where that is a system call that failed: its errno; else 0.
int last_system_error();

/// Returns `result` if it is not negative. Throws IoError: HDF5 could not `doing`: its innermost reason, and the
/// system's errno if there is one.
template <typename Result>
Result check(Result result, std::string_view doing) {
  if (result < 0) throw IoError("HDF5 could not " + std::string(doing) + ": " + last_error(), last_system_error());
  return result;
}

/// Wraps an identifier that was just made, checked.
template <typename Handle>
Handle own(hid_t id, std::string_view doing) {
  return Handle(check(id, doing));
}

}  // namespace octavo::hdf5
