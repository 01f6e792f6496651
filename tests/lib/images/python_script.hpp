// Runs the Python scripts that compare with Pillow.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace octavo::test {

/// Exit status of the scripts if Pillow or NumPy is missing.
inline constexpr int kMissingModule = 77;

/// Runs a script of this folder. Returns its exit status, or -1 if a signal ended it.
inline int run_python(const std::string& script, const std::vector<std::string>& arguments) {
  // python3-pil is installed for the system's own Python.
  const std::string python = std::filesystem::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
  std::string command = python + " '" OCTAVO_SOURCE_DIR "/tests/lib/images/" + script + "'";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace octavo::test
