// Call sites in the program, and violation reports that name them.
#pragma once

#include <array>
#include <string>

namespace fake_cuda {

/// A call and its stack. Cheap to record; symbol names are resolved only for a report.
struct Site {
  const char* call = "";
  std::array<void*, 14> frames{};
  int frame_count = 0;
};

Site here(const char* call);
/// The call and a line per caller, such as "octavo::Store::load() at store.cpp:12", without the frames of the runtime.
std::string describe(const Site& site);

/// Reports a violation to the handler of the tests. Without a handler, prints it to stderr and aborts.
void violation(const std::string& report);

}  // namespace fake_cuda
