#include "store/row_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dataset_file/split_access.hpp"
#include "store/guarded_pieces.hpp"
#include "support/hash.hpp"
#include "support/threads.hpp"

namespace octavo::store {
namespace {

/// Gaps up to this size are read too: that is faster than another call, and a disk reads whole pages anyway.
constexpr std::int64_t kMostGapBytes = 4096;
/// Most bytes per call, unless a single sample is larger, and most samples per call (IOV_MAX is 1024, and each sample
/// may come with a gap).
constexpr std::int64_t kMostRunBytes = std::int64_t{1} << 20;
constexpr std::size_t kMostRunRows = 512;
/// Rows are far apart if fewer than one in this many is expected to have a neighbor within the gap.
constexpr std::int64_t kFarApart = 8;
/// Work per piece: calls, or bytes.
constexpr std::int64_t kPieceRuns = 32;
constexpr std::int64_t kPieceBytes = std::int64_t{256} << 10;

}  // namespace

/// The requested rows, divided into runs of nearby rows in file order. Each run is read with one call.
class RowReader::Runs {
 public:
  Runs(std::vector<Wanted> rows, std::int64_t sample_bytes) : rows_(std::move(rows)) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i == 0 ||
          !continues(rows_[i - 1].row, rows_[i].row, rows_[starts_.back()].row, i - starts_.back(), sample_bytes)) {
        starts_.push_back(i);
      }
    }
    starts_.push_back(rows_.size());
  }

  std::int64_t count() const { return static_cast<std::int64_t>(starts_.size()) - 1; }
  std::span<const Wanted> run(std::int64_t number) const {
    const auto i = static_cast<std::size_t>(number);
    return std::span(rows_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
  }

 private:
  static bool continues(std::int64_t previous, std::int64_t row, std::int64_t first, std::size_t rows_so_far,
                        std::int64_t sample_bytes) {
    // In units of samples, to avoid overflow.
    if (row < previous) return false;
    const std::int64_t gap = std::max<std::int64_t>(0, row - previous - 1);
    return gap <= kMostGapBytes / sample_bytes &&
           row - first < std::max<std::int64_t>(1, kMostRunBytes / sample_bytes) && rows_so_far < kMostRunRows;
  }

  std::vector<Wanted> rows_;
  std::vector<std::size_t> starts_;  ///< where each run starts, then the end
};

RowReader::RowReader(const Split& split, bool verify_checksums, bool with_masks, int thread_count)
    : split_(split),
      reader_(*dataset_file::SplitAccess::reader(split_)),
      entry_(dataset_file::SplitAccess::entry(split_)),
      sample_bytes_(split.shape().values()),
      companions_(split_, verify_checksums, with_masks),
      pool_(resolve_thread_count(thread_count)) {}

void RowReader::read(std::span<const std::int64_t> rows, const RowTarget& target,
                     const std::atomic<bool>& cancelled) const {
  const Runs runs(in_reading_order(rows), sample_bytes_);
  const std::int64_t bytes = static_cast<std::int64_t>(rows.size()) * sample_bytes_;
  const std::int64_t pieces = std::clamp<std::int64_t>(std::max(runs.count() / kPieceRuns, bytes / kPieceBytes), 1,
                                                       std::max<std::int64_t>(1, runs.count()));
  const auto read_piece = [&](std::int64_t piece) {
    read_runs(runs, runs.count() * piece / pieces, runs.count() * (piece + 1) / pieces, target, cancelled);
  };
  // If the file has changed since it was opened, report that rather than any other error.
  run_guarded(pool_, pieces, read_piece, [&] { reader_.ensure_unchanged(); });
}

std::vector<RowReader::Wanted> RowReader::in_reading_order(std::span<const std::int64_t> rows) const {
  std::vector<Wanted> wanted;
  wanted.reserve(rows.size());
  for (const std::int64_t row : rows) wanted.push_back({row, static_cast<std::int64_t>(wanted.size())});
  // Sorting brings neighbors together. It is not worthwhile if hardly any rows are near each other.
  const std::int64_t reach = kMostGapBytes / sample_bytes_ + 1;
  const bool are_far = static_cast<std::int64_t>(rows.size()) < entry_.sample_count / reach / kFarApart;
  if (!are_far) {
    std::sort(wanted.begin(), wanted.end(),
              [](const Wanted& a, const Wanted& b) { return a.row != b.row ? a.row < b.row : a.place < b.place; });
  }
  return wanted;
}

void RowReader::read_runs(const Runs& runs, std::int64_t first, std::int64_t last, const RowTarget& target,
                          const std::atomic<bool>& cancelled) const {
  const File& file = reader_.file();
  StreamingHash hash;
  std::byte gap[kMostGapBytes];
  std::vector<iovec> parts;
  const auto offset_of = [&](std::span<const Wanted> run) {
    return entry_.images.offset + run.front().row * sample_bytes_;
  };
  const auto lay_out = [&](std::span<const Wanted> run) {
    parts.clear();
    for (std::size_t i = 0; i < run.size(); ++i) {
      if (i > 0 && run[i].row == run[i - 1].row) continue;  // copied afterwards
      const std::int64_t skipped = i == 0 ? 0 : (run[i].row - run[i - 1].row - 1) * sample_bytes_;
      if (skipped > 0) parts.push_back({gap, static_cast<std::size_t>(skipped)});
      parts.push_back({target.codes + run[i].place * target.stride_bytes, static_cast<std::size_t>(sample_bytes_)});
    }
  };

  std::vector<std::int64_t> cold;
  for (std::int64_t number = first; number < last && !cancelled; ++number) {
    const std::span<const Wanted> run = runs.run(number);
    lay_out(run);
    const CachedRead result = file.read_cached_parts_at(offset_of(run), parts);
    if (result == CachedRead::not_cached) {
      cold.push_back(number);
      continue;
    }
    if (result == CachedRead::unknown) file.read_parts_at(offset_of(run), parts);
    finish_run(run, target, hash);
  }
  for (const std::int64_t number : cold) {
    const std::span<const Wanted> run = runs.run(number);
    file.start_read(offset_of(run), (run.back().row - run.front().row + 1) * sample_bytes_);
  }
  for (const std::int64_t number : cold) {
    if (cancelled) return;
    const std::span<const Wanted> run = runs.run(number);
    lay_out(run);
    file.read_parts_at(offset_of(run), parts);
    finish_run(run, target, hash);
  }
}

void RowReader::finish_run(std::span<const Wanted> run, const RowTarget& target, StreamingHash& hash) const {
  const std::size_t label_bytes = companions_.label_bytes();
  const auto codes_at = [&](const Wanted& wanted) { return target.codes + wanted.place * target.stride_bytes; };
  const auto label_at = [&](const Wanted& wanted) {
    return label_bytes == 0 ? nullptr : target.labels + static_cast<std::size_t>(wanted.place) * label_bytes;
  };
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (i == 0 || run[i - 1].row != run[i].row) {
      companions_.complete(run[i].row, codes_at(run[i]), label_at(run[i]), hash);
      continue;
    }
    std::memcpy(codes_at(run[i]), codes_at(run[i - 1]), companions_.row_bytes());
    if (label_bytes != 0) std::memcpy(label_at(run[i]), label_at(run[i - 1]), label_bytes);
  }
}

}  // namespace octavo::store
