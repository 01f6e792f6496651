// Using the HDF5 library safely from a library: one thread at a time, no output to stderr, every result checked.
#pragma once

#include <hdf5.h>

#include <mutex>
#include <string>
#include <string_view>

#include <octavo/errors.hpp>

namespace octavo::hdf5 {

/// During its lifetime, this thread has exclusive use of the HDF5 library, and the library prints no errors. All calls
/// to HDF5, including the destruction of handles, must happen inside a session. Sessions may nest.
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

/// Call this first in a child that was forked inside a Session: it gives the child use of the library. The session
/// belongs to the parent and must not be destroyed in the child.
void take_over_after_fork();

/// The innermost reason on HDF5's error stack, on one line.
std::string last_error();

/// The errno if the innermost reason is a failed system call, else 0.
int last_system_error();

/// Returns `result` if it is not negative. Otherwise throws IoError "HDF5 could not `doing`: ..." with HDF5's innermost
/// reason and the system's errno, if any.
template <typename Result>
Result check(Result result, std::string_view doing) {
  if (result < 0) throw IoError("HDF5 could not " + std::string(doing) + ": " + last_error(), last_system_error());
  return result;
}

/// Checks and wraps a newly created identifier.
template <typename Handle>
Handle own(hid_t id, std::string_view doing) {
  return Handle(check(id, doing));
}

}  // namespace octavo::hdf5
