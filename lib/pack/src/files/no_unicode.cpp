// The replacement for unicode.cpp in a build without utf8proc.
#include "files/unicode.hpp"

namespace octavo::files {

std::string normalized(std::string_view text) { return std::string(text); }

}  // namespace octavo::files
