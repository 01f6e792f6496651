#include "dataset_file/rows/row_reader.hpp"

#include <algorithm>
#include <utility>

#include "dataset_file/rows/guarded_pieces.hpp"
#include "support/threads.hpp"

namespace octavo::dataset_file {
namespace {

/// Most bytes per call, unless a single sample is larger, and most samples per call (a call reads up to 1024 parts, and
/// each sample may come with a gap).
constexpr std::int64_t kMostRunBytes = std::int64_t{1} << 20;
constexpr std::size_t kMostRunRows = 512;
/// Rows are far apart if fewer than one in this many is expected to have a neighbor within the gap.
constexpr std::int64_t kFarApart = 8;
/// Work per piece: calls, or bytes.
constexpr std::int64_t kPieceRuns = 32;
constexpr std::int64_t kPieceBytes = std::int64_t{256} << 10;

/// Whether a row is read with the same call as the rows before it.
bool continues(std::span<const WantedRow> run, std::int64_t row, const RowOffsets& rows, std::int64_t most_gap_bytes) {
  const std::int64_t previous = run.back().row;
  if (row < previous) return false;
  const std::int64_t gap = row == previous ? 0 : rows[row] - rows[previous + 1];
  return gap <= most_gap_bytes && (row == previous || rows[row + 1] - rows[run.front().row] <= kMostRunBytes) &&
         run.size() < kMostRunRows;
}

}  // namespace

RowReader::RowReader(std::shared_ptr<const Reader> reader, const SplitEntry& entry, const RowReading& reading)
    : reader_(std::move(reader)),
      entry_(entry),
      cost_(reader_->source().read_cost()),
      mean_bytes_(entry.rows.mean_bytes()),
      companions_(*reader_, entry_, reading),
      pool_(resolve_thread_count(reading.thread_count)) {}

void RowReader::read(std::span<const std::int64_t> rows, const RowTarget& target,
                     const std::atomic<bool>& cancelled) const {
  start(rows);
  const RowRuns runs = runs_of(rows);
  const std::int64_t bytes = static_cast<std::int64_t>(rows.size()) * mean_bytes_;
  const std::int64_t pieces = std::clamp<std::int64_t>(std::max(runs.count() / kPieceRuns, bytes / kPieceBytes), 1,
                                                       std::max<std::int64_t>(1, runs.count()));
  const auto read_piece = [&](std::int64_t piece) {
    read_runs(runs, runs.count() * piece / pieces, runs.count() * (piece + 1) / pieces, target, cancelled);
  };
  // If the file has changed since it was opened, report that rather than any other error.
  run_guarded(pool_, pieces, read_piece, [&] { reader_->ensure_unchanged(); });
}

RowRuns RowReader::runs_of(std::span<const std::int64_t> rows) const {
  // Sorting brings neighbors together. It is not worthwhile if hardly any rows are near each other.
  const std::int64_t reach = cost_.most_gap_bytes / mean_bytes_ + 1;
  const bool are_far = static_cast<std::int64_t>(rows.size()) < entry_.sample_count / reach / kFarApart;
  return {wanted_rows(rows, !are_far), [&](std::span<const WantedRow> run, std::int64_t row) {
            return continues(run, row, entry_.rows, cost_.most_gap_bytes);
          }};
}

std::int64_t RowReader::start(std::span<const std::int64_t> rows) const noexcept {
  if (!is_remote()) return 0;
  try {
    const RowRuns runs = runs_of(rows);
    for (std::int64_t number = 0; number < runs.count(); ++number) start_run(runs.run(number));
    companions_.start(wanted_rows(rows, true));
    return runs.count();
  } catch (...) {
    return 0;  // only a hint: read() fetches the rows itself
  }
}

void RowReader::start_run(std::span<const WantedRow> run) const {
  reader_->source().start_read(entry_.images.offset + entry_.rows[run.front().row],
                               entry_.rows.bytes(run.front().row, run.back().row - run.front().row + 1));
}

void RowReader::read_runs(const RowRuns& runs, std::int64_t first, std::int64_t last, const RowTarget& target,
                          const std::atomic<bool>& cancelled) const {
  const ByteSource& source = reader_->source();
  StreamingHash hash;
  std::vector<std::byte> gap(static_cast<std::size_t>(cost_.most_gap_bytes));
  std::vector<std::span<std::byte>> parts;
  const auto offset_of = [&](std::span<const WantedRow> run) {
    return entry_.images.offset + entry_.rows[run.front().row];
  };
  const auto lay_out = [&](std::span<const WantedRow> run) {
    parts.clear();
    for (std::size_t i = 0; i < run.size(); ++i) {
      if (i > 0 && run[i].row == run[i - 1].row) continue;  // copied afterwards
      const std::int64_t row_bytes = entry_.rows.bytes(run[i].row);
      const std::int64_t skipped = i == 0 ? 0 : entry_.rows[run[i].row] - entry_.rows[run[i - 1].row + 1];
      if (skipped > 0) parts.emplace_back(gap.data(), static_cast<std::size_t>(skipped));
      parts.emplace_back(target.row(run[i].place, row_bytes), static_cast<std::size_t>(row_bytes));
    }
  };

  std::vector<std::int64_t> cold;
  for (std::int64_t number = first; number < last && !cancelled; ++number) {
    const std::span<const WantedRow> run = runs.run(number);
    lay_out(run);
    const AtHand result = source.read_parts_at_hand(offset_of(run), parts);
    if (result == AtHand::no) {
      cold.push_back(number);
      continue;
    }
    if (result == AtHand::unknown) source.read_parts_at(offset_of(run), parts);
    companions_.complete(run, target, hash);
  }
  for (const std::int64_t number : cold) start_run(runs.run(number));
  for (const std::int64_t number : cold) {
    if (cancelled) return;
    const std::span<const WantedRow> run = runs.run(number);
    lay_out(run);
    source.read_parts_at(offset_of(run), parts);
    companions_.complete(run, target, hash);
  }
}

}  // namespace octavo::dataset_file
