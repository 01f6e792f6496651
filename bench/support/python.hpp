// Runs the Python scripts of bench/python/ that serve as references.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "results.hpp"

namespace octavo::bench {

/// The environment variable PYTHON overrides the default.
inline std::string python_program() {
  const char* chosen = std::getenv("PYTHON");
  return chosen == nullptr ? "python3" : chosen;
}

/// `modules`: "h5py, numpy".
inline bool has_python_modules(const std::string& modules) {
  return std::system((python_program() + " -c 'import " + modules + "' 2>/dev/null").c_str()) == 0;
}

/// Runs a script and returns the numbers that it prints.
inline std::vector<double> run_python(const std::string& script, const std::string& arguments) {
  const std::string command = python_program() + " " OCTAVO_BENCH_FOLDER "/python/" + script + " " + arguments;
  FILE* pipe = ::popen(command.c_str(), "r");
  require(pipe != nullptr, "starting " + python_program());
  std::string text;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text.push_back(static_cast<char>(c));
  require(::pclose(pipe) == 0, script);
  std::istringstream stream(text);
  std::vector<double> numbers;
  for (double number = 0; stream >> number;) numbers.push_back(number);
  require(!numbers.empty(), script);
  return numbers;
}

}  // namespace octavo::bench
