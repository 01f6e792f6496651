#include "core/range_queue.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <octavo/errors.hpp>

namespace octavo::python {
namespace {

constexpr std::int64_t kKibibyte = 1024;
constexpr std::int64_t kMebibyte = 1024 * kKibibyte;

/// Most bytes per request; larger ranges are fetched in parts, at the same time.
constexpr std::int64_t kMostPieceBytes = 4 * kMebibyte;
/// Most bytes of all requests that one thread gets at a time.
constexpr std::int64_t kMostCallBytes = 16 * kMebibyte;
/// Most bytes that are kept or being fetched. Readers may exceed it by a piece each.
constexpr std::int64_t kMostKeptBytes = 256 * kMebibyte;
/// What a reader asks for at a time.
constexpr std::int64_t kReadBytes = 32 * kMebibyte;
/// Smaller reads that were not announced fetch the block around them.
constexpr std::int64_t kBlockBytes = 64 * kKibibyte;
constexpr std::int64_t kMostBlockBytes = 16 * kMebibyte;
/// A read belongs to a stream if it begins this near to its end: threads that share a stream overtake each other.
/// Small reads, such as those of labels, are streams of their own.
constexpr std::int64_t kStreamReachBytes = 16 * kMebibyte;
constexpr std::int64_t kSmallStreamReachBytes = kBlockBytes;
constexpr std::int64_t kFirstWindowBytes = kMebibyte;
constexpr std::int64_t kMostWindowBytes = 32 * kMebibyte;
constexpr std::size_t kMostStreams = 8;

constexpr auto kCheckPeriod = std::chrono::milliseconds(100);

std::int64_t bytes_in(std::span<const std::span<std::byte>> parts) {
  std::int64_t bytes = 0;
  for (const std::span<std::byte> part : parts) bytes += std::ssize(part);
  return bytes;
}

/// Copies bytes to consecutive parts.
class PartWriter {
 public:
  explicit PartWriter(std::span<const std::span<std::byte>> parts) : parts_(parts) {}

  void write(const std::byte* from, std::int64_t bytes) {
    while (bytes > 0) {
      const std::span<std::byte> room = parts_.front().subspan(done_);
      const std::size_t count = std::min(room.size(), static_cast<std::size_t>(bytes));
      std::memcpy(room.data(), from, count);
      from += count;
      bytes -= static_cast<std::int64_t>(count);
      done_ += count;
      if (done_ == parts_.front().size()) {
        parts_ = parts_.subspan(1);
        done_ = 0;
      }
    }
  }

 private:
  std::span<const std::span<std::byte>> parts_;
  std::size_t done_ = 0;  ///< bytes of the first part
};

}  // namespace

// ---- For readers ------------------------------------------------------------

void RangeQueue::announce(ByteRange range) {
  const std::lock_guard lock(mutex_);
  if (range.bytes() <= 0 || announced_bytes_ + range.bytes() > kMostKeptBytes) return;
  make_room(announced_bytes_ + range.bytes());
  if (piece_bytes_ + announced_bytes_ + range.bytes() > kMostKeptBytes) return;
  announced_.push_back(range);
  announced_bytes_ += range.bytes();
}

bool RangeQueue::read_if_there(std::int64_t offset, std::span<const std::span<std::byte>> parts) {
  const std::lock_guard lock(mutex_);
  // Also while all reads find what they need: it may be of later batches. And before what it covers is read and
  // forgotten, or that would be fetched again.
  ask_for_announced();
  if (!is_there({offset, offset + bytes_in(parts)})) return false;
  copy(offset, parts);
  return true;
}

void RangeQueue::read(std::int64_t offset, std::span<const std::span<std::byte>> parts, std::int64_t length_bytes,
                      const Waiting& waiting) {
  const ByteRange range{offset, offset + bytes_in(parts)};
  if (range.bytes() == 0) return;
  Lock lock(mutex_);
  ask_for_announced();
  read_ahead(range, length_bytes);
  PartWriter to(parts);
  std::int64_t asked = offset;
  for (std::int64_t at = offset; at < range.end;) {
    const bool is_large = range.bytes() >= kBlockBytes;
    if (piece_at(at) == nullptr || (is_large && asked < std::min(range.end, at + kReadBytes / 2))) {
      asked = ask_to_read({at, range.end}, is_large, length_bytes);
    }
    const std::shared_ptr<Piece> piece = wait_for(lock, at, waiting);
    const std::int64_t end = std::min(range.end, piece->range.end);
    to.write(piece->bytes.get() + (at - piece->range.begin), end - at);
    note_read(*piece, end - at);
    at = end;
  }
}

FileDescription RangeQueue::describe(const Waiting& waiting) {
  Lock lock(mutex_);
  const std::int64_t number = next_number_++;
  requests_[number] = nullptr;
  queue_.push_front(number);
  requested_.notify_one();
  while (!descriptions_.contains(number)) {
    if (arrived_.wait_for(lock, kCheckPeriod) == std::cv_status::no_timeout) continue;
    lock.unlock();
    waiting();
    lock.lock();
  }
  const Description result = descriptions_.extract(number).mapped();
  if (!result.description) throw IoError(result.problem, result.error_number);
  return *result.description;
}

// ---- For threads that fetch -------------------------------------------------

std::vector<RangeQueue::Request> RangeQueue::next(std::size_t most) {
  Lock lock(mutex_);
  ++waiting_threads_;
  requested_.wait(lock, [&] { return is_closed_ || !queue_.empty(); });
  --waiting_threads_;
  std::vector<Request> requests;
  std::int64_t bytes = 0;
  while (!is_closed_ && !queue_.empty() && requests.size() < most) {
    const std::int64_t number = queue_.front();
    const std::shared_ptr<Piece>& piece = requests_[number];
    if (piece) bytes += piece->range.bytes();
    if (!requests.empty() && (!piece || bytes > kMostCallBytes)) break;
    queue_.pop_front();
    if (piece) piece->state = State::fetching;
    requests.push_back({number, piece ? std::optional(piece->range) : std::nullopt});
    if (!piece) break;
  }
  return requests;
}

bool RangeQueue::needs_another_thread() const {
  const std::lock_guard lock(mutex_);
  return !is_closed_ && !queue_.empty() && waiting_threads_ == 0;
}

std::optional<std::int64_t> RangeQueue::bytes_of(std::int64_t number) const {
  const std::lock_guard lock(mutex_);
  const auto request = requests_.find(number);
  if (request == requests_.end() || !request->second) return std::nullopt;
  return request->second->range.bytes();
}

void RangeQueue::deliver(std::int64_t number, std::unique_ptr<std::byte[]> bytes) {
  const std::lock_guard lock(mutex_);
  const auto request = requests_.find(number);
  if (request == requests_.end() || !request->second) return;
  Piece& piece = *request->second;
  piece.bytes = std::move(bytes);
  piece.state = State::there;
  piece.last_use = ++clock_;
  requests_.erase(request);
  make_room(0);
  arrived_.notify_all();
}

void RangeQueue::deliver(std::int64_t number, const FileDescription& description) {
  const std::lock_guard lock(mutex_);
  if (requests_.erase(number) == 0) return;
  descriptions_[number] = {description};
  arrived_.notify_all();
}

void RangeQueue::fail(std::int64_t number, const std::string& message, int error_number) {
  const std::lock_guard lock(mutex_);
  const auto request = requests_.find(number);
  if (request == requests_.end()) return;
  if (const std::shared_ptr<Piece> piece = request->second) {
    piece->state = State::failed;
    piece->problem = message;
    piece->error_number = error_number;
    // Those who wait for it have it; whoever comes later asks again.
    forget(*piece);
  } else {
    descriptions_[number] = {std::nullopt, message, error_number};
  }
  requests_.erase(request);
  arrived_.notify_all();
}

void RangeQueue::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  requested_.notify_all();
}

// ---- Inside -----------------------------------------------------------------

const RangeQueue::Piece* RangeQueue::piece_at(std::int64_t offset) const {
  auto after = pieces_.upper_bound(offset);
  if (after == pieces_.begin()) return nullptr;
  const Piece& piece = *(--after)->second;
  return offset < piece.range.end ? &piece : nullptr;
}

bool RangeQueue::is_there(ByteRange range) const {
  for (std::int64_t at = range.begin; at < range.end;) {
    const Piece* piece = piece_at(at);
    if (piece == nullptr || piece->state != State::there) return false;
    at = piece->range.end;
  }
  return true;
}

/// The bytes are there.
void RangeQueue::copy(std::int64_t offset, std::span<const std::span<std::byte>> parts) {
  const std::int64_t end = offset + bytes_in(parts);
  PartWriter to(parts);
  for (std::int64_t at = offset; at < end;) {
    const std::shared_ptr<Piece> piece = std::prev(pieces_.upper_bound(at))->second;
    const std::int64_t stop = std::min(end, piece->range.end);
    to.write(piece->bytes.get() + (at - piece->range.begin), stop - at);
    note_read(*piece, stop - at);
    at = stop;
  }
}

/// Forgets a piece that was read as often as it was announced.
void RangeQueue::note_read(Piece& piece, std::int64_t bytes) {
  piece.last_use = ++clock_;
  piece.unread_bytes -= bytes;
  if (piece.unread_bytes <= 0 && piece.kind != Kind::block) forget(piece);
}

/// Requests the begin of a range that is being read: all that may be fetched at a time, or the block around a small
/// one. Returns the end of what it requested.
std::int64_t RangeQueue::ask_to_read(ByteRange range, bool is_large, std::int64_t length_bytes) {
  if (!is_large) {
    const ByteRange block{range.begin / kBlockBytes * kBlockBytes,
                          std::min(length_bytes, (range.end + kBlockBytes - 1) / kBlockBytes * kBlockBytes)};
    ask_for(block, Kind::block, 0);
    return block.end;
  }
  make_room(kReadBytes);
  const std::int64_t most = piece_bytes_ + kReadBytes <= kMostKeptBytes ? kReadBytes : kMostPieceBytes;
  const ByteRange wanted{range.begin, std::min(range.end, range.begin + most)};
  ask_for(wanted, Kind::read, 0);
  return wanted.end;
}

/// Announced ranges become requests; neighbors are joined. What is announced again is not counted again: a reader may
/// announce a batch, and later parts of it.
void RangeQueue::ask_for_announced() {
  if (announced_.empty()) return;
  std::sort(announced_.begin(), announced_.end(),
            [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  ByteRange joined = announced_.front();
  std::int64_t unread_bytes = joined.bytes();
  for (const ByteRange& range : std::span(announced_).subspan(1)) {
    const bool is_near = range.begin - joined.end <= kMostGapBytes;
    if (is_near && std::max(joined.end, range.end) - joined.begin <= kMostPieceBytes) {
      unread_bytes += std::max<std::int64_t>(0, range.end - std::max(range.begin, joined.end));
      joined.end = std::max(joined.end, range.end);
      continue;
    }
    ask_for(joined, Kind::read, unread_bytes);
    joined = range;
    unread_bytes = range.bytes();
  }
  ask_for(joined, Kind::read, unread_bytes);
  announced_.clear();
  announced_bytes_ = 0;
}

/// Requests what of the range is not there and not requested. `unread_bytes` of it were announced; 0: all.
void RangeQueue::ask_for(ByteRange range, Kind kind, std::int64_t unread_bytes) {
  const bool is_whole = unread_bytes == 0 || unread_bytes == range.bytes();
  auto next = pieces_.upper_bound(range.begin);
  if (next != pieces_.begin() && std::prev(next)->second->range.end > range.begin) --next;
  for (std::int64_t at = range.begin; at < range.end;) {
    if (next != pieces_.end() && next->second->range.begin <= at) {
      at = next->second->range.end;
      ++next;
      continue;
    }
    std::int64_t end = std::min(range.end, at + kMostPieceBytes);
    if (next != pieces_.end()) end = std::min(end, next->second->range.begin);
    const bool is_all = at == range.begin && end == range.end;
    add_piece({at, end}, kind, is_whole || !is_all ? end - at : unread_bytes);
    at = end;
  }
}

void RangeQueue::add_piece(ByteRange range, Kind kind, std::int64_t unread_bytes) {
  const auto piece = std::make_shared<Piece>();
  piece->range = range;
  piece->unread_bytes = unread_bytes;
  piece->kind = kind;
  piece->last_use = ++clock_;
  const std::int64_t number = next_number_++;
  pieces_[range.begin] = piece;
  requests_[number] = piece;
  queue_.push_back(number);
  piece_bytes_ += range.bytes();
  if (kind == Kind::block) block_bytes_ += range.bytes();
  requested_.notify_one();
}

/// The piece at `offset`, which was requested, once it is there.
std::shared_ptr<RangeQueue::Piece> RangeQueue::wait_for(Lock& lock, std::int64_t offset, const Waiting& waiting) {
  const std::shared_ptr<Piece> piece = std::prev(pieces_.upper_bound(offset))->second;
  while (piece->state == State::queued || piece->state == State::fetching) {
    if (arrived_.wait_for(lock, kCheckPeriod) == std::cv_status::no_timeout) continue;
    lock.unlock();
    waiting();
    lock.lock();
  }
  if (piece->state == State::failed) throw IoError(piece->problem, piece->error_number);
  return piece;
}

/// Requests what follows a read that was not announced, if it continues others.
void RangeQueue::read_ahead(ByteRange range, std::int64_t length_bytes) {
  const Piece* piece = piece_at(range.begin);
  if (piece != nullptr && piece->kind != Kind::ahead) return;  // announced, or in a block
  const bool is_small = range.bytes() < kBlockBytes;
  const std::int64_t reach = is_small ? kSmallStreamReachBytes : kStreamReachBytes;
  const auto continues = [&](const Stream& stream) {
    return stream.is_small == is_small && std::abs(range.begin - stream.next) <= reach;
  };
  auto stream = std::find_if(streams_.begin(), streams_.end(), continues);
  if (stream == streams_.end()) {
    if (streams_.size() == kMostStreams) {
      streams_.erase(std::min_element(streams_.begin(), streams_.end(),
                                      [](const Stream& a, const Stream& b) { return a.last_use < b.last_use; }));
    }
    streams_.push_back({is_small, range.end, range.end, 0, ++clock_});
    return;
  }
  if (range.end <= stream->next) {
    // Another thread that is late finds what it needs; otherwise this is a new pass through a small file.
    if (piece == nullptr) *stream = {is_small, range.end, range.end, 0, ++clock_};
    return;
  }
  stream->last_use = ++clock_;
  stream->next = range.end;
  if (stream->ahead - stream->next > stream->window_bytes / 2) return;
  stream->window_bytes = std::clamp(2 * stream->window_bytes, kFirstWindowBytes, kMostWindowBytes);
  const ByteRange ahead{std::max(stream->ahead, stream->next),
                        std::min(length_bytes, stream->next + stream->window_bytes)};
  if (ahead.bytes() <= 0) return;
  make_room(ahead.bytes());
  if (piece_bytes_ + ahead.bytes() > kMostKeptBytes) return;
  ask_for(range, Kind::read, 0);  // first what is read now
  ask_for(ahead, Kind::ahead, 0);
  stream->ahead = ahead.end;
}

/// Forgets a piece, unless that was done already.
void RangeQueue::forget(const Piece& piece) {
  const auto kept = pieces_.find(piece.range.begin);
  if (kept == pieces_.end() || kept->second.get() != &piece) return;
  piece_bytes_ -= piece.range.bytes();
  if (piece.kind == Kind::block) block_bytes_ -= piece.range.bytes();
  pieces_.erase(kept);
}

/// Forgets what was not used for the longest time, if there is no room for so many bytes more.
void RangeQueue::make_room(std::int64_t wanted_bytes) {
  const auto forget_oldest = [&](const std::int64_t& bytes, std::int64_t most, bool blocks_only) {
    std::vector<std::shared_ptr<Piece>> there;
    for (const auto& [begin, piece] : pieces_) {
      if (piece->state == State::there && (!blocks_only || piece->kind == Kind::block)) there.push_back(piece);
    }
    std::sort(there.begin(), there.end(), [](const auto& a, const auto& b) { return a->last_use < b->last_use; });
    for (auto piece = there.begin(); piece != there.end() && bytes > most; ++piece) forget(**piece);
  };
  // A quarter more than necessary, because finding the oldest takes time.
  if (block_bytes_ > kMostBlockBytes) forget_oldest(block_bytes_, kMostBlockBytes / 4 * 3, true);
  if (piece_bytes_ + wanted_bytes > kMostKeptBytes) {
    forget_oldest(piece_bytes_, kMostKeptBytes / 4 * 3 - wanted_bytes, false);
  }
}

}  // namespace octavo::python
