// The program `octavo` as a function: an executable calls it, and so does the script of the Python wheels.
#pragma once

namespace octavo::tools {

/// Runs the command line, which begins with the program's name, and returns the exit code. Sets the signal handlers of
/// the process. Call it once.
int run_program(int argument_count, const char* const* arguments);

}  // namespace octavo::tools
