// Letting go of the GIL while C++ works.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::python {

/// Releases the GIL for its lifetime. Unlike nanobind's own, it may live on a thread that is still at work when the
/// interpreter ends: there, taking the GIL again would end the thread by unwinding its stack, which ends the process
/// when it meets a function that may not throw. Such a thread waits for the end of the process instead.
class GilRelease {
 public:
  GilRelease();
  ~GilRelease();
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

/// Registers what runs at the interpreter's exit.
void add_gil(nanobind::module_& module);

}  // namespace octavo::python
