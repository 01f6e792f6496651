// Sends the requests for ranges.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <octavo/remote.hpp>

#include "remote/fetch.hpp"

namespace octavo::remote {

/// Fetches ranges of one or several files on one thread, many at a time. The thread and its connections are made by the
/// first request. Thread-safe; a child of fork() has a thread of its own.
class Transfers {
 public:
  virtual ~Transfers() = default;

  /// Starts to fetch; those of reads that wait come first. Without a thread, they fail.
  virtual void start(std::span<const std::shared_ptr<Fetch>> fetches, bool is_awaited) noexcept = 0;
  /// Moves a fetch that waits before those that nobody waits for.
  virtual void hurry(const std::shared_ptr<Fetch>& fetch) = 0;
  /// Waits until a fetch is done or failed.
  virtual void wait(const Fetch& fetch) = 0;
  /// Ends a fetch if it still waits. Returns whether it did.
  virtual bool drop(const std::shared_ptr<Fetch>& fetch) = 0;
};

/// Throws Unavailable in a build without libcurl.
std::shared_ptr<Transfers> make_transfers(const RemoteFile& file, const SourceOptions& options);

}  // namespace octavo::remote
