#include "remote/remote_source.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <octavo/errors.hpp>

#include "remote/part_cursor.hpp"
#include "support/file.hpp"
#include "support/hash.hpp"

namespace octavo::remote {
namespace {

/// Header, HDF5 superblock, and for small datasets the index.
constexpr std::int64_t kBeginningBytes = std::int64_t{16} << 10;

std::atomic<std::uint64_t>& next_file_number() {
  static std::atomic<std::uint64_t> number = 0;
  return number;
}

std::int64_t bytes_of(std::span<const std::span<std::byte>> parts) {
  std::int64_t bytes = 0;
  for (const std::span<std::byte> part : parts) bytes += std::ssize(part);
  return bytes;
}

/// Calls work(offset, bytes) for equal pieces of at most kMostRequestBytes.
template <typename Work>
void for_requests(std::int64_t offset, std::int64_t bytes, const Work& work) {
  const std::int64_t count = (bytes + kMostRequestBytes - 1) / kMostRequestBytes;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t first = bytes * i / count, end = bytes * (i + 1) / count;
    work(offset + first, end - first);
  }
}

}  // namespace

OpenFile::OpenFile(RemoteFile wanted_file, FileVersion wanted_version)
    : file(std::move(wanted_file)), version(std::move(wanted_version)), number(next_file_number()++) {}

OpenFile::OpenFile(const OpenFile& opened, FileVersion found_version)
    : file(opened.file), version(std::move(found_version)), number(opened.number) {}

void throw_failure(const char* doing, const RemoteFile& file, const Failure& failure) {
  if (failure.is_out_of_memory) {
    throw OutOfMemory(std::string(doing) + " " + quoted(file.name) + ": not enough host memory; free some memory");
  }
  const std::string attempts = failure.attempts > 1 ? " (" + std::to_string(failure.attempts) + " attempts)" : "";
  throw IoError(std::string(doing) + " " + quoted(file.name) + attempts + ": " + failure.problem);
}

std::shared_ptr<const RemoteSource> RemoteSource::open(RemoteFile file, std::shared_ptr<Transfers> transfers,
                                                       const SourceOptions& options) {
  for (bool is_moved = false;;) {
    const auto unknown = std::make_shared<const OpenFile>(file, FileVersion());
    const auto fetch = std::make_shared<Fetch>(unknown, 0, kBeginningBytes);
    transfers->start(std::span(&fetch, 1), true);
    transfers->wait(*fetch);
    if (fetch->state == Fetch::State::done) {
      const FileVersion version = *fetch->version;
      std::vector<std::byte> beginning = std::move(fetch->own);
      beginning.resize(static_cast<std::size_t>(std::min(kBeginningBytes, version.length)));
      return std::make_shared<const RemoteSource>(std::make_shared<const OpenFile>(*unknown, version),
                                                  std::move(beginning), std::move(transfers), options);
    }
    // A bucket in another region than the usual one.
    const std::string region = fetch->failure.bucket_region;
    if (is_moved || file.is_region_chosen || region.empty() || region == file.region) {
      throw_failure("open", file, fetch->failure);
    }
    file = in_region(file, region);
    is_moved = true;
  }
}

RemoteSource::RemoteSource(std::shared_ptr<const OpenFile> file, std::vector<std::byte> beginning,
                           std::shared_ptr<Transfers> transfers, const SourceOptions& options)
    : file_(std::move(file)),
      beginning_(std::move(beginning)),
      transfers_(std::move(transfers)),
      shared_([most = options.most_kept_bytes] { return std::make_unique<Shared>(most); }) {
  ++file_->valid_answers;  // the one that opened it
}

void RemoteSource::check_range(std::int64_t offset, std::int64_t bytes) const {
  if (offset >= 0 && offset <= length() && bytes <= length() - offset) return;
  throw IoError("read " + quoted(name()) + ": the file ends at byte " + std::to_string(length()) +
                ", before the end of the requested range; it was truncated");
}

bool RemoteSource::copy_beginning(std::int64_t offset, std::int64_t bytes,
                                  std::span<const std::span<std::byte>> parts) const {
  if (offset < 0 || offset + bytes > std::ssize(beginning_)) return false;
  PartCursor(parts).copy(
      std::span(beginning_).subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes)));
  return true;
}

/// Every valid answer since the last call was of the version that was opened: then nothing is asked.
std::string RemoteSource::identity() const {
  const FileVersion& version = file_->version;
  const std::uint64_t answers = file_->valid_answers;
  if (!version.has_validator() || seen_answers_.exchange(answers) == answers) {
    check_beginning();
    seen_answers_ = file_->valid_answers.load();
  }
  const std::string bytes = std::to_string(version.length);
  if (!version.etag.empty()) return bytes + " " + version.etag;
  if (!version.last_modified.empty()) return bytes + " " + version.last_modified;
  return bytes + " " + to_hex(hash_bytes(beginning_));
}

/// Reads the beginning again, which differs between datasets: it has the hash of the index.
void RemoteSource::check_beginning() const {
  if (beginning_.empty()) return;
  const std::int64_t bytes = file_->version.has_validator() ? 1 : std::ssize(beginning_);
  const auto fetch = std::make_shared<Fetch>(file_, 0, bytes);
  transfers_->start(std::span(&fetch, 1), true);
  transfers_->wait(*fetch);
  if (fetch->state == Fetch::State::failed) throw_failure("read", file(), fetch->failure);
  if (std::ranges::equal(fetch->own, std::span(beginning_).first(static_cast<std::size_t>(bytes)))) return;
  throw_failure("read", file(), {.problem = "the file was changed since it was opened; open it again"});
}

/// One call of read_parts_at(). What is not kept goes directly to the memory of the caller, who waits.
class RemoteSource::Read {
 public:
  explicit Read(const RemoteSource& source) : source_(source), shared_(source.shared_.get()) {}
  ~Read() {
    // Also after an exception, the memory of the caller is not used any more.
    for (const auto& fetch : direct_) {
      if (is_started_ && !source_.transfers_->drop(fetch)) source_.transfers_->wait(*fetch);
    }
    const std::lock_guard lock(shared_.mutex);
    for (const Part& part : parts_) {
      if (part.range.kept) shared_.kept.end_use(*part.range.kept);
    }
  }
  Read(const Read&) = delete;
  Read& operator=(const Read&) = delete;

  void run(std::int64_t offset, std::span<const std::span<std::byte>> memory) {
    plan(offset, memory);
    Transfers& transfers = *source_.transfers_;
    is_started_ = true;
    transfers.start(direct_, true);
    transfers.start(ahead_, false);
    for (const Part& part : parts_) {
      if (part.range.kept) transfers.hurry(part.range.kept);
    }
    const Fetch* failed = nullptr;
    for (const Part& part : parts_) {
      if (part.range.kept && !take(part) && failed == nullptr) failed = part.range.kept.get();
    }
    for (const auto& fetch : direct_) {
      if (failed != nullptr) break;
      transfers.wait(*fetch);
      if (fetch->state == Fetch::State::failed) failed = fetch.get();
    }
    if (failed != nullptr) throw_failure("read", source_.file(), failed->failure);
  }

 private:
  struct Part {
    RangePart range;
    std::vector<std::span<std::byte>> memory;
  };

  void plan(std::int64_t offset, std::span<const std::span<std::byte>> memory) {
    const std::int64_t bytes = bytes_of(memory);
    const std::lock_guard lock(shared_.mutex);
    const std::vector<RangePart> ranges = shared_.kept.divide(offset, bytes);
    parts_.reserve(ranges.size());
    for (const RangePart& range : ranges) {
      if (range.kept) shared_.kept.begin_use(*range.kept);
      parts_.push_back({range, {}});
    }
    PartCursor cursor(memory);
    for (Part& part : parts_) {
      if (part.range.kept) {
        part.memory = cursor.next(part.range.bytes);
        continue;
      }
      for_requests(part.range.offset, part.range.bytes, [&](std::int64_t begin, std::int64_t count) {
        direct_.push_back(std::make_shared<Fetch>(source_.file_, begin, count));
        direct_.back()->parts = cursor.next(count);
      });
    }
    ahead_ = source_.keep_what_follows(shared_, ranges, offset, bytes);
  }

  /// Returns false if the fetch failed; the next read tries again.
  bool take(const Part& part) {
    Fetch& fetch = *part.range.kept;
    source_.transfers_->wait(fetch);
    const bool is_done = fetch.state == Fetch::State::done;
    if (is_done) source_.copy_kept(part.range, part.memory);
    const std::lock_guard lock(shared_.mutex);
    if (is_done)
      shared_.kept.take(fetch, part.range.bytes);
    else
      shared_.kept.remove(fetch);
    return is_done;
  }

  const RemoteSource& source_;
  Shared& shared_;
  std::vector<Part> parts_;
  std::vector<std::shared_ptr<Fetch>> direct_, ahead_;
  bool is_started_ = false;
};

void RemoteSource::copy_kept(const RangePart& range, std::span<const std::span<std::byte>> memory) {
  const std::span<const std::byte> kept = range.kept->own;
  PartCursor(memory).copy(
      kept.subspan(static_cast<std::size_t>(range.offset - range.kept->offset), static_cast<std::size_t>(range.bytes)));
}

/// Who asks for what is read next needs no guess: only other reads are noted.
std::vector<std::shared_ptr<Fetch>> RemoteSource::keep_what_follows(Shared& shared, std::span<const RangePart> ranges,
                                                                    std::int64_t offset, std::int64_t bytes) const {
  const bool was_asked_for =
      std::ranges::all_of(ranges, [](const RangePart& range) { return range.kept && !range.kept->is_guess; });
  const auto expected = was_asked_for ? std::nullopt : shared.ahead.note(offset, bytes);
  if (!expected) return {};
  auto fetches = keep(shared, expected->offset, expected->bytes);
  for (const auto& fetch : fetches) fetch->is_guess = true;
  return fetches;
}

std::vector<std::shared_ptr<Fetch>> RemoteSource::keep(Shared& shared, std::int64_t offset, std::int64_t count) const {
  std::vector<std::shared_ptr<Fetch>> fetches;
  if (offset < 0 || offset >= length()) return fetches;
  bool has_room = true;
  const std::int64_t bytes = std::min(count, length() - offset);
  try {
    for (const RangePart& part : shared.kept.divide(offset, bytes)) {
      if (part.kept) continue;
      for_requests(part.offset, part.bytes, [&](std::int64_t begin, std::int64_t request_bytes) {
        auto fetch = std::make_shared<Fetch>(file_, begin, request_bytes);
        fetches.reserve(fetches.size() + 1);
        has_room = has_room && shared.kept.keep(fetch);
        if (has_room) fetches.push_back(std::move(fetch));
      });
    }
  } catch (const std::bad_alloc&) {
    // Those that are kept so far must be started: a reader may wait for them.
  }
  return fetches;
}

void RemoteSource::read_at(std::int64_t offset, std::span<std::byte> out) const {
  read_parts_at(offset, std::span(&out, 1));
}

void RemoteSource::read_parts_at(std::int64_t offset, std::span<const std::span<std::byte>> parts) const {
  const std::int64_t bytes = bytes_of(parts);
  check_range(offset, bytes);
  if (bytes == 0 || copy_beginning(offset, bytes, parts)) return;
  Read(*this).run(offset, parts);
}

AtHand RemoteSource::read_parts_at_hand(std::int64_t offset,
                                        std::span<const std::span<std::byte>> parts) const noexcept {
  try {
    const std::int64_t bytes = bytes_of(parts);
    if (offset < 0 || offset > length() || bytes > length() - offset) return AtHand::no;
    if (bytes == 0 || copy_beginning(offset, bytes, parts)) return AtHand::yes;
    Shared& shared = shared_.get();
    std::vector<std::shared_ptr<Fetch>> ahead;
    {
      const std::lock_guard lock(shared.mutex);
      const std::vector<RangePart> ranges = shared.kept.divide(offset, bytes);
      const bool is_here = std::ranges::all_of(
          ranges, [](const RangePart& range) { return range.kept && range.kept->state == Fetch::State::done; });
      if (!is_here) return AtHand::no;
      PartCursor cursor(parts);
      for (const RangePart& range : ranges) {
        copy_kept(range, cursor.next(range.bytes));
        shared.kept.take(*range.kept, range.bytes);
      }
      ahead = keep_what_follows(shared, ranges, offset, bytes);
    }
    transfers_->start(ahead, false);
    return AtHand::yes;
  } catch (...) {
    return AtHand::no;
  }
}

void RemoteSource::start_read(std::int64_t offset, std::int64_t length) const noexcept {
  try {
    if (offset < 0 || length <= 0 || length <= std::ssize(beginning_) - offset) return;
    Shared& shared = shared_.get();
    std::vector<std::shared_ptr<Fetch>> fetches;
    {
      const std::lock_guard lock(shared.mutex);
      fetches = keep(shared, offset, length);
    }
    transfers_->start(fetches, false);
  } catch (...) {
    // Only a hint: the read fetches the bytes itself.
  }
}

}  // namespace octavo::remote
