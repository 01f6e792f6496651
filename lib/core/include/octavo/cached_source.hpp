// A cache on a local disk for the bytes of a dataset file that is somewhere else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <octavo/byte_source.hpp>

namespace octavo {

/// Where the cache is and how large it may become.
struct CacheOptions {
  /// A folder on a local disk, which is created if it does not exist. Processes of one user may share it, and it may
  /// hold the blocks of any number of files.
  std::filesystem::path folder;
  /// Disk space of all cache files in the folder, at most.
  std::int64_t most_bytes = 0;
};

/// What a cached source has done since it was opened.
struct CacheStatistics {
  std::int64_t served_bytes = 0;     ///< read from the cache
  std::int64_t served_blocks = 0;    ///< blocks that these reads touched, each time they did
  std::int64_t fetched_bytes = 0;    ///< read from the source
  std::int64_t fetched_blocks = 0;   ///< whole blocks among them
  std::int64_t kept_blocks = 0;      ///< fetched blocks that were added to the cache
  std::int64_t damaged_blocks = 0;   ///< blocks in the cache whose hash did not match; they were fetched again
  std::int64_t not_kept_blocks = 0;  ///< blocks that were read from the source and not added: no room, or a problem
};

/// A source whose blocks are kept on a local disk once they have been read. Thread-safe, also across fork().
class CachedSource : public ByteSource {
 public:
  virtual CacheStatistics statistics() const = 0;
  /// Why the cache is not used or does not grow, in one line; empty if it works. A full cache is not a problem.
  virtual std::string problem() const = 0;
};

/// Returns a source that has the bytes of `source`, and keeps what it reads in blocks of 128 KiB in options.folder. It
/// is used by other processes at the same time and by later ones, as long as name() and identity() of the source stay
/// the same, so they must contain nothing that is new in each process, such as the signature of a URL. Each process
/// compares a block with its hash before it first uses it, and fetches it again if it is damaged. Nothing that happens
/// to the folder makes a read fail: if it cannot be used or written, problem() says why and reads go to `source`.
///
/// If the cache is full, the least recently used files that no process has open are removed. If there are none, blocks
/// that are not in the cache are read from `source` and not kept: in shuffled epochs, which read every block once, any
/// fixed part is as good as another.
///
/// identity() asks `source` only if bytes were read from it since the last time. start_read() and reads of `source` are
/// for whole blocks, up to 4 MiB at a time, except when the cache is full; a read may cover several started ranges.
///
/// Throws InvalidArgument if `options` has no folder or no positive size, and the errors of `source`.
std::shared_ptr<const CachedSource> cached(std::shared_ptr<const ByteSource> source, const CacheOptions& options);

}  // namespace octavo
