// Downloads published image datasets: the well-known ones, or others from a description.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/progress.hpp>

namespace octavo {

/// A published file, with the length and checksums that identify it.
struct RemoteFile {
  std::string name;                    ///< in the folder; without slashes
  std::int64_t bytes = 0;              ///< exact length; at least 1
  std::string sha256 = {};             ///< 64 hex digits; empty if unknown
  std::string md5 = {};                ///< 32 hex digits; empty if unknown. At least one checksum must be known
  std::vector<std::string> urls = {};  ///< URLs of the file itself, tried before the mirrors
};

/// A published image dataset.
struct RemoteSet {
  std::string name;                       ///< [A-Za-z0-9][A-Za-z0-9_.-]{0,63}
  std::vector<RemoteFile> files;          ///< at least one; names are unique
  std::vector<std::string> mirrors = {};  ///< http or https base URLs to which file names are appended, in order
  std::vector<std::string> pack = {};     ///< what to pack: [SPLIT=]FILE below the folder; empty: the whole folder
  std::string title = {};                 ///< such as "Fashion-MNIST"
  std::string content = {};               ///< such as "60,000 + 10,000, 28x28 gray, 10 classes"
  std::string license = {};               ///< as the publisher states it
  std::string page = {};                  ///< URL of the publisher's page
};

/// The total length of its files.
std::int64_t total_bytes(const RemoteSet& set);

/// The datasets that Octavo knows. Their files, lengths and checksums are built in; no network access is needed.
const std::vector<RemoteSet>& known_sets();

/// The known dataset with this name. Throws InvalidArgument, listing the known names, if there is none.
const RemoteSet& known_set(std::string_view name);

/// Reads the description of a dataset: a JSON object with the fields of RemoteSet (docs/sources.md). Fields that are
/// empty by default are optional. Throws FormatError, naming the invalid field, or IoError.
RemoteSet read_set(const std::filesystem::path& path);

struct FetchOptions {
  std::vector<std::string> mirrors = {};  ///< used instead of the dataset's own mirrors and URLs
  bool replace_existing = false;          ///< replace existing files that differ from the published ones
  int retries = 3;                        ///< further attempts per URL after a transient error
  int stall_seconds = 30;                 ///< an attempt ends after this time without a connection or below 1 KiB/s
  ProgressFunction on_progress = {};      ///< in bytes; per file, one stage for receiving it and one for checking it
};

/// The result for one file.
struct FetchedFile {
  std::string name;
  std::int64_t bytes = 0;
  bool was_there = false;           ///< the published file was already there
  std::int64_t received_bytes = 0;  ///< in this call, including dropped bytes; less than `bytes` after a resume
  std::string url = {};             ///< the source of the last bytes; empty if nothing was received
};

struct FetchSummary {
  std::filesystem::path folder;
  std::vector<FetchedFile> files;
  std::int64_t received_bytes = 0;
  double elapsed_seconds = 0.0;
};

/// Downloads the files of `set` into `folder`, which is created if it is missing. Existing files with the right length
/// and checksums are kept.
///
/// A file is received as NAME.part, checked, synced and renamed, so a file with its final name is complete. An existing
/// NAME.part is resumed, also one left by an interrupted call. If the result is wrong, it is dropped and the file is
/// fetched once more from its beginning. Never stores more than the file's length.
///
/// Throws InvalidArgument if the set or the options are invalid, or an existing file differs from the published one;
/// FormatError if the servers have different content; IoError if no server can be reached, the folder cannot be
/// written, or another fetch uses the folder; Unavailable in a build without libcurl or libcrypto.
FetchSummary fetch(const RemoteSet& set, const std::filesystem::path& folder, const FetchOptions& options = {});

/// The same for a known dataset.
FetchSummary fetch(std::string_view name, const std::filesystem::path& folder, const FetchOptions& options = {});

}  // namespace octavo
