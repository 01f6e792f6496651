// The program `octavo` in the wheels' library; the script `octavo` calls it.
#include <nanobind/nanobind.h>

#include "program.hpp"

/// Runs the command line and returns the exit code. The caller does not hold the GIL.
extern "C" NB_EXPORT int octavo_main(int argument_count, const char* const* arguments) {
  return octavo::tools::run_program(argument_count, arguments);
}
