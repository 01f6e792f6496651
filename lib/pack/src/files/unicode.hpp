// Unicode normalization of names.
#pragma once

#include <string>
#include <string_view>

namespace octavo::files {

/// The text in Normalization Form C, so that two ways to write one name are equal: macOS decomposes the letters of file
/// names, "e" and an accent, where others write one character. Text that is not UTF-8 is returned unchanged; so is all
/// text in a build without utf8proc.
std::string normalized(std::string_view text);

}  // namespace octavo::files
