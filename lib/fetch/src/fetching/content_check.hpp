// Whether a file on disk is the published one.
#pragma once

#include <optional>
#include <string>

#include <octavo/fetch.hpp>

#include "support/file.hpp"

namespace octavo::fetching {

/// How `file` differs from the published one: "it has 7 bytes, not 9", "its MD5 is ..., not ...". Nothing if its length
/// and every checksum that is known are right. Throws IoError, and what `on_progress` throws.
std::optional<std::string> content_problem(const File& file, const RemoteFile& published,
                                           const ProgressFunction& on_progress);

}  // namespace octavo::fetching
