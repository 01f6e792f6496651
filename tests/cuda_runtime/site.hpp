// The place of a call in the program, and reports that name several.
#pragma once

#include <array>
#include <string>

namespace fake_cuda {

/// The call and who called it; cheap to take, turned into names only for a report.
struct Site {
  const char* call = "";
  std::array<void*, 14> frames{};
  int frame_count = 0;
};

Site here(const char* call);
/// "cudaFree at store.cpp:12 (octavo::Store::load) < ...", the frames of the runtime itself left out.
std::string describe(const Site& site);

/// Reports a violation: to the handler of the tests, else to stderr, and ends the process.
void violation(const std::string& report);

}  // namespace fake_cuda
