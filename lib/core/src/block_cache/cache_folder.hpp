// A folder of cache files that several processes share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "block_cache/block_layout.hpp"
#include "support/file.hpp"

namespace octavo::block_cache {

/// Keeps the disk space of the cache files in one folder below a limit. Files grow only under the lock of the folder,
/// a flock() on its ledger, which holds their total. The total may be too large if a process was killed or a user has
/// removed files; it is counted again before anything is removed or refused. A process waits for the lock for a
/// limited time, so one that is stopped does not stop others. Each process holds a shared flock() on the cache files
/// that it uses. Thread-safe.
///
/// Files are opened relative to the folder's descriptor, without following links, and only if they are regular files
/// of this user.
class CacheFolder {
 public:
  /// Opens the folder, or creates it for this user only. Throws IoError, also if another user owns the folder.
  CacheFolder(std::filesystem::path path, std::int64_t most_bytes);

  /// Opens the cache file of this layout, or creates it. A file with another header or length is removed first.
  /// Returns nothing if there is no room for a new one. Throws IoError.
  std::optional<File> open_file(const BlockLayout& layout) const;

  /// Calls write(), which makes `file` larger by at most `most_growth` bytes, if there is room or room can be made.
  /// Returns false if there is none, or if the lock was not available in time. Throws IoError, also if the file was
  /// removed from the folder, and the errors of write().
  bool grow(const File& file, std::int64_t most_growth, const std::function<void()>& write) const;

  /// Removes the file, which other processes may still use. Failures are ignored.
  void remove(const BlockLayout& layout) const noexcept;

 private:
  class Ledger;
  struct Candidate;

  /// The locked ledger, or nothing if other processes hold the lock for too long. Throws IoError.
  std::optional<Ledger> lock() const;
  /// Whether the total may grow by `bytes`, after removing files if necessary.
  bool make_room(Ledger& ledger, std::int64_t bytes) const;
  std::vector<Candidate> cache_files() const;
  bool remove_unused(const std::string& name) const;
  FileDescriptor open_entry(const std::string& name, int flags) const;
  std::optional<File> open_existing(const BlockLayout& layout) const;
  std::optional<File> create(Ledger& ledger, const BlockLayout& layout) const;

  std::filesystem::path path_;
  std::int64_t most_bytes_;
  std::uint64_t boot_;  ///< identifies this boot of the machine; 0 if it is unknown
  FileDescriptor folder_;
};

}  // namespace octavo::block_cache
