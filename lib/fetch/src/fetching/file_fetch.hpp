// Downloads one file of a set: tries each URL in turn, retries, and checks the result.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <octavo/fetch.hpp>

namespace octavo::fetching {

/// Receives `published` from the first of the URLs that has it, checks it, and moves it to `path`, replacing an
/// existing file. Uses the options retries, stall_seconds and on_progress. Throws FormatError if a URL has wrong
/// content and no other one has the right content, IoError if no URL can be reached or the file cannot be written.
FetchedFile fetch_file(const RemoteFile& published, const std::filesystem::path& path,
                       const std::vector<std::string>& addresses, const FetchOptions& options);

}  // namespace octavo::fetching
