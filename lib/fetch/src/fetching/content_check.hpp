// Whether a file on disk is the published one.
#pragma once

#include <optional>
#include <string>

#include <octavo/fetch.hpp>

#include "support/file.hpp"

namespace octavo::fetching {

/// How `file` differs from the published one: "it has 7 bytes, not 9", "its MD5 is ..., not ...". Empty if its length
/// and every known checksum match. Throws IoError, and whatever `on_progress` throws.
std::optional<std::string> content_problem(const File& file, const RemoteFile& published,
                                           const ProgressFunction& on_progress);

}  // namespace octavo::fetching
