// Fetching image sets from the servers that publish them: the well-known ones, or others that a description names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/progress.hpp>

namespace octavo {

/// A published file, and how to tell that it is the right one.
struct RemoteFile {
  std::string name;                    ///< in the folder; plain, without slashes
  std::int64_t bytes = 0;              ///< exactly so many; at least 1
  std::string sha256 = {};             ///< 64 hex digits; empty: not known
  std::string md5 = {};                ///< 32 hex digits; empty: not known, which one of the two may be
  std::vector<std::string> urls = {};  ///< addresses of the file itself, tried before those below the mirrors
};

/// A published image set.
struct RemoteSet {
  std::string name;                       ///< [A-Za-z0-9][A-Za-z0-9_.-]{0,63}
  std::vector<RemoteFile> files;          ///< at least one, of different names
  std::vector<std::string> mirrors = {};  ///< http or https addresses that the names of files are put behind, in order
  std::vector<std::string> pack = {};     ///< what is packed, [SPLIT=]FILE below the folder; empty: the folder
  std::string title = {};                 ///< such as "Fashion-MNIST"
  std::string content = {};               ///< such as "60,000 + 10,000, 28x28 gray, 10 classes"
  std::string license = {};               ///< as the publisher states it
  std::string page = {};                  ///< the publisher's page
};

/// Sum of the lengths of its files.
std::int64_t total_bytes(const RemoteSet& set);

/// The sets that octavo knows. Their files, lengths and checksums are part of the program; nothing is asked for them.
const std::vector<RemoteSet>& known_sets();

/// The known set of that name. Throws InvalidArgument, naming those that there are.
const RemoteSet& known_set(std::string_view name);

/// Reads the description of a set: a JSON object with the fields of RemoteSet; those that are empty by default may be
/// left out (docs/sources.md). Throws FormatError naming the field that is wrong, or IoError.
RemoteSet read_set(const std::filesystem::path& path);

struct FetchOptions {
  std::vector<std::string> mirrors = {};  ///< used in place of the set's own mirrors and addresses
  bool replace_existing = false;          ///< replace a file of the same name that is not the published one
  int retries = 3;                        ///< more attempts at each address after one that may have failed by chance
  int stall_seconds = 30;  ///< an attempt ends if for so long no connection, or less than 1 KiB a second, comes about
  ProgressFunction on_progress = {};  ///< in bytes; a stage a file for receiving it and one for checking it
};

/// What became of a file.
struct FetchedFile {
  std::string name;
  std::int64_t bytes = 0;
  bool was_there = false;  ///< it was there already, and is the published one
  std::int64_t received_bytes =
      0;                 ///< in this call, dropped ones too; less than `bytes` where an older call went before
  std::string url = {};  ///< where the last of them came from; empty: nothing was received
};

struct FetchSummary {
  std::filesystem::path folder;
  std::vector<FetchedFile> files;
  std::int64_t received_bytes = 0;
  double elapsed_seconds = 0.0;
};

/// Brings the files of `set` into `folder`, which is made if it is missing. Those that are there with the right length
/// and checksums are left alone.
///
/// A file is received as NAME.part, checked, synced, and renamed: under its name it is whole. A NAME.part that is there
/// is continued, also in a later call after this one was interrupted; one that turns out wrong is dropped and the file
/// fetched once more from its beginning. No more than the file's length is ever stored.
///
/// Throws InvalidArgument for a set or options that make no sense and for a file that is there but is not the published
/// one; FormatError if what the servers have is not; IoError if none of them can be reached or the folder cannot be
/// written, or another fetch is at work in it; Unavailable in a build without libcurl or libcrypto.
FetchSummary fetch(const RemoteSet& set, const std::filesystem::path& folder, const FetchOptions& options = {});

/// The same for a known set.
FetchSummary fetch(std::string_view name, const std::filesystem::path& folder, const FetchOptions& options = {});

}  // namespace octavo
