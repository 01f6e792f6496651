// Maps the page of control.hpp in the preloaded process, with raw system calls, before any other code runs.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "control.hpp"

namespace octavo::faults {

/// The page that the environment variable names, or null.
inline Control* map_control_page() {
  const char* const name = ::getenv(kControlVariable);
  if (name == nullptr) return nullptr;
  const long descriptor = ::syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  void* const page =
      ::mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, static_cast<int>(descriptor), 0);
  ::syscall(SYS_close, descriptor);
  return page == MAP_FAILED ? nullptr : static_cast<Control*>(page);
}

/// Counts a call. Returns whether it is selected.
inline bool is_its_turn(Control& control) {
  const std::int64_t number = control.counted.fetch_add(1) + 1;
  if (control.at == 0 || (number != control.at && !(control.from_then_on != 0 && number > control.at))) return false;
  control.failed.fetch_add(1);
  return true;
}

}  // namespace octavo::faults
