// The environment of a program, or that of a test.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace octavo::remote {

/// Reads an environment variable; nothing if it is not set or empty.
using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> process_environment(const char* name);

}  // namespace octavo::remote
