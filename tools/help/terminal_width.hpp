// The width of the lines that the program prints for people.
#pragma once

#include <cstddef>

namespace octavo::tools {

/// The columns for text on stdout: those of the environment variable COLUMNS, else of the terminal, else 80; at least
/// 40, and at most 100, because longer lines are hard to read.
std::size_t terminal_width();

}  // namespace octavo::tools
