// The name of a file in a zip archive, as stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "support/file.hpp"

namespace octavo::files {

/// The bytes of a name that is marked as UTF-8, from the header that ends at the offset `end`, where the file's data
/// begins; `end` may also be behind the data, as libarchive reads a symbolic link's. Nothing if there is no such
/// header.
std::optional<std::string> stored_zip_name(const File& archive, std::int64_t end);

}  // namespace octavo::files
