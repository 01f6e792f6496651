// Files of class names, one per line, in label order.
#pragma once

#include <string>
#include <vector>

#include "files/byte_stream.hpp"

namespace octavo::sources {

/// The lines of a file of class names, without line ends and surrounding blanks; empty lines at the end are dropped.
/// Throws IoError if the file cannot be read; FormatError if a name is empty, not UTF-8 or a duplicate.
std::vector<std::string> read_name_list(files::ByteStream& stream);

/// Whether `text` is well-formed UTF-8 without control characters, as class names in a file must be.
bool is_clean_utf8(const std::string& text);

}  // namespace octavo::sources
