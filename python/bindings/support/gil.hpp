// Releases the GIL while C++ code runs.
#pragma once

#include <nanobind/nanobind.h>

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

/// Registers the handler that runs at interpreter exit.
void add_gil(nanobind::module_& module);

}  // namespace octavo::python
