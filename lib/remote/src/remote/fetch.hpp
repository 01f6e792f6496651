// A range of a remote file, while it is fetched and afterwards.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "remote/answer.hpp"

namespace octavo::remote {

/// Requests of more bytes are divided: one connection is often slower than the network.
inline constexpr std::int64_t kMostRequestBytes = std::int64_t{4} << 20;
/// Bytes between two ranges that are fetched with both rather than with another request: 32 KiB take 0.3 ms at 100
/// MB/s, and so does a request of 20 ms if 64 are in flight.
inline constexpr std::int64_t kMostGapBytes = std::int64_t{32} << 10;

/// A file that is read, and what its answers have shown.
struct OpenFile {
  OpenFile(RemoteFile wanted_file, FileVersion wanted_version);
  /// The same file, now that its version is known.
  OpenFile(const OpenFile& opened, FileVersion found_version);
  const RemoteFile file;
  const FileVersion version;
  const std::uint64_t number;                            ///< of no other file of this process
  mutable std::atomic<std::uint64_t> valid_answers = 0;  ///< of this version
};

/// [offset, offset + bytes) of a file. The thread of Transfers changes it from `waiting` to `running` and from there to
/// `done` or `failed`; the rest of it belongs to that thread until then.
class Fetch {
 public:
  enum class State { waiting, running, done, failed };

  /// Fetches to memory of its own, or to `parts`, which must stay valid until it is done, failed or dropped.
  Fetch(std::shared_ptr<const OpenFile> of_file, std::int64_t begin, std::int64_t count)
      : file(std::move(of_file)), offset(begin), bytes(count) {}

  std::int64_t end() const { return offset + bytes; }
  bool has_ended() const { return state == State::done || state == State::failed; }
  /// Where the bytes are, or will be. Allocates the memory of its own.
  std::span<const std::span<std::byte>> memory() {
    if (parts.empty()) {
      own.resize(static_cast<std::size_t>(bytes));
      parts.emplace_back(own);
    }
    return parts;
  }

  const std::shared_ptr<const OpenFile> file;
  const std::int64_t offset, bytes;
  bool is_guess = false;  ///< fetched because of the reads before it, not because somebody asked
  std::vector<std::span<std::byte>> parts;
  std::vector<std::byte> own;
  std::atomic<State> state = State::waiting;
  Failure failure;                     ///< if it failed
  std::optional<FileVersion> version;  ///< if it is done
};

}  // namespace octavo::remote
