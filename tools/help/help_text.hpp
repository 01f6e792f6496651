// The help of the program and of its verbs.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace octavo::tools {

/// The help of the program or, if `app` is a verb, of the verb: usage, arguments, options in their groups, examples.
/// Lines have at most `width` characters, except for words and commands that are longer.
std::string help_text(const CLI::App& app, std::size_t width);

}  // namespace octavo::tools
