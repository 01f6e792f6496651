// Bringing one file of a set to its place: addresses in turn, attempts at each, and the check at the end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <octavo/fetch.hpp>

namespace octavo::fetching {

/// Receives `published` from the first of the addresses that has it, checks it, and puts it at `path`, replacing what
/// is there. Options: retries, stall_seconds, on_progress. Throws FormatError if an address has other content and no
/// other one the right, IoError if none can be reached or the file cannot be written.
FetchedFile fetch_file(const RemoteFile& published, const std::filesystem::path& path,
                       const std::vector<std::string>& addresses, const FetchOptions& options);

}  // namespace octavo::fetching
