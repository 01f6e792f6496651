// The byte ranges of a remote file: which are wanted, which are being fetched, and the bytes of those that are there.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace octavo::python {

/// Bytes [begin, end) of a file.
struct ByteRange {
  std::int64_t begin;
  std::int64_t end;

  std::int64_t bytes() const { return end - begin; }
};

/// What a file is, as its store describes it.
struct FileDescription {
  std::int64_t length_bytes;
  std::string identity;  ///< changes when the bytes change
};

/// Connects threads that read ranges of one file with threads that fetch them. A reader announces ranges, which costs
/// nothing; the first read asks for all that were announced, neighbors joined, so that they are fetched at the same
/// time. What readers read in sequence without announcing it is fetched ahead of them. Fetched bytes are kept until
/// they are read, up to a limit.
///
/// Thread-safe, but not usable in a child of fork().
class RangeQueue {
 public:
  /// Announced ranges with a smaller gap are one request: the gap takes less time than a request.
  static constexpr std::int64_t kMostGapBytes = std::int64_t{64} << 10;

  /// What a thread that fetches is asked for.
  struct Request {
    std::int64_t number;
    std::optional<ByteRange> range;  ///< nothing: describe the file
  };
  /// Called about ten times a second while a reader waits; may throw.
  using Waiting = std::function<void()>;

  // ---- For readers. Ranges are within [0, length_bytes) of the file. ---------

  /// Announces that a range will be read. Only a hint.
  void announce(ByteRange range);
  /// Fills the parts, one after another, from `offset` if all these bytes are there. Returns whether it did.
  bool read_if_there(std::int64_t offset, std::span<const std::span<std::byte>> parts);
  /// Fills the parts, and waits for the bytes. `length_bytes` is that of the file. Throws IoError if they cannot be
  /// fetched.
  void read(std::int64_t offset, std::span<const std::span<std::byte>> parts, std::int64_t length_bytes,
            const Waiting& waiting);
  /// Asks for the description of the file. Throws IoError.
  FileDescription describe(const Waiting& waiting);

  // ---- For threads that fetch ------------------------------------------------

  /// Waits for requests; at most `most`, with at most kMostCallBytes unless one alone has more. Empty once the queue is
  /// closed.
  std::vector<Request> next(std::size_t most);
  /// Whether there are requests that no thread waits for.
  bool needs_another_thread() const;
  /// The size of a request; nothing if nobody waits for it any more.
  std::optional<std::int64_t> bytes_of(std::int64_t number) const;
  void deliver(std::int64_t number, std::unique_ptr<std::byte[]> bytes);
  void deliver(std::int64_t number, const FileDescription& description);
  /// Readers of this request throw IoError.
  void fail(std::int64_t number, const std::string& message, int error_number);

  /// next() returns nothing from now on.
  void close();

 private:
  enum class State { queued, fetching, there, failed };
  enum class Kind {
    read,   ///< announced, or being read; no longer kept once it was read
    ahead,  ///< the same, of what follows a read
    block,  ///< around a small read; kept, because others come back to the same place
  };

  /// A range that is fetched with one request.
  struct Piece {
    ByteRange range;
    State state = State::queued;
    Kind kind = Kind::read;
    std::unique_ptr<std::byte[]> bytes = {};
    std::int64_t unread_bytes = 0;  ///< that readers will read
    std::int64_t last_use = 0;
    std::string problem = {};
    int error_number = 0;
  };
  using Pieces = std::map<std::int64_t, std::shared_ptr<Piece>>;

  /// A reader that goes through the file, possibly with several threads.
  struct Stream {
    bool is_small;              ///< it consists of small reads
    std::int64_t next;          ///< the end of what was read
    std::int64_t ahead;         ///< the end of what was requested
    std::int64_t window_bytes;  ///< how far ahead
    std::int64_t last_use;
  };

  using Lock = std::unique_lock<std::mutex>;

  const Piece* piece_at(std::int64_t offset) const;
  bool is_there(ByteRange range) const;
  void copy(std::int64_t offset, std::span<const std::span<std::byte>> parts);
  void note_read(Piece& piece, std::int64_t bytes);
  std::int64_t ask_to_read(ByteRange range, bool is_large, std::int64_t length_bytes);
  void ask_for_announced();
  void ask_for(ByteRange range, Kind kind, std::int64_t unread_bytes);
  void add_piece(ByteRange range, Kind kind, std::int64_t unread_bytes);
  std::shared_ptr<Piece> wait_for(Lock& lock, std::int64_t offset, const Waiting& waiting);
  void read_ahead(ByteRange range, std::int64_t length_bytes);
  void forget(const Piece& piece);
  void make_room(std::int64_t wanted_bytes);

  mutable std::mutex mutex_;
  std::condition_variable requested_;
  std::condition_variable arrived_;
  bool is_closed_ = false;
  std::int64_t next_number_ = 0;
  std::int64_t clock_ = 0;
  std::int64_t waiting_threads_ = 0;

  std::vector<ByteRange> announced_;
  std::int64_t announced_bytes_ = 0;
  Pieces pieces_;  ///< disjoint, by where they begin
  std::int64_t piece_bytes_ = 0;
  std::int64_t block_bytes_ = 0;
  std::vector<Stream> streams_;

  std::deque<std::int64_t> queue_;                           ///< numbers of requests
  std::map<std::int64_t, std::shared_ptr<Piece>> requests_;  ///< by number; null: describe the file
  struct Description {
    std::optional<FileDescription> description = {};
    std::string problem = {};
    int error_number = 0;
  };
  std::map<std::int64_t, Description> descriptions_;  ///< that were delivered, until their readers take them
};

}  // namespace octavo::python
