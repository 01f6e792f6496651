// Releases the GIL while C++ code runs.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

namespace octavo::python {

/// Releases the GIL for its lifetime. Unlike nanobind's own guard, it may live on a thread that is still working when
/// the interpreter finalizes. Reacquiring the GIL there would terminate the thread by unwinding its stack, and the
/// process with it once a noexcept function is reached. Such a thread waits for the end of the process instead.
class GilRelease {
 public:
  GilRelease();
  ~GilRelease();
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

/// Holds the GIL for its lifetime, on any thread, also on one that Python did not start. For short work that does not
/// wait: the interpreter finalizes only after it.
class GilHold {
 public:
  /// Throws IoError once the interpreter finalizes, except on the thread that does it.
  GilHold();
  ~GilHold();
  GilHold(const GilHold&) = delete;
  GilHold& operator=(const GilHold&) = delete;

  /// Whether the thread held it before.
  bool was_held() const { return state_ == PyGILState_LOCKED; }

 private:
  PyGILState_STATE state_;
};

/// Owns a Python object; the last owner may release it on any thread.
std::shared_ptr<nanobind::object> shared(nanobind::object object);

/// Whether the interpreter finalizes: Python's other threads run no more.
bool interpreter_is_ending();

/// Registers the handlers that run at interpreter exit and after fork().
void add_gil(nanobind::module_& module);

}  // namespace octavo::python
