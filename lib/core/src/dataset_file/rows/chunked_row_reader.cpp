#include "dataset_file/rows/chunked_row_reader.hpp"

#include <cstring>
#include <utility>

#include "dataset_file/rows/guarded_pieces.hpp"
#include "support/threads.hpp"

namespace octavo::dataset_file {

ChunkedRowReader::ChunkedRowReader(std::shared_ptr<const Reader> reader, const SplitEntry& entry,
                                   const RowReading& reading)
    : reader_(std::move(reader)),
      entry_(entry),
      layout_(entry.chunk_layout()),
      companions_(*reader_, entry_, reading),
      pool_(resolve_thread_count(reading.thread_count)) {}

void ChunkedRowReader::read(std::span<const std::int64_t> rows, const RowTarget& target,
                            const std::atomic<bool>& cancelled) const {
  start(rows);
  const RowRuns chunks = chunks_of(rows);
  const auto read_chunk = [&](std::int64_t number) {
    if (!cancelled) read_from_chunk(chunks.run(number), target);
  };
  // If the file has changed since it was opened, report that rather than any other error.
  run_guarded(pool_, chunks.count(), read_chunk, [&] { reader_->ensure_unchanged(); });
}

RowRuns ChunkedRowReader::chunks_of(std::span<const std::int64_t> rows) const {
  return {wanted_rows(rows, true), [&](std::span<const WantedRow> run, std::int64_t row) {
            return layout_.chunk_of(row) == layout_.chunk_of(run.front().row);
          }};
}

std::int64_t ChunkedRowReader::start(std::span<const std::int64_t> rows) const noexcept {
  if (!is_remote()) return 0;
  try {
    const RowRuns chunks = chunks_of(rows);
    for (std::int64_t i = 0; i < chunks.count(); ++i) {
      reader_->chunks().start(entry_, layout_.chunk_of(chunks.run(i).front().row));
    }
    companions_.start(wanted_rows(rows, true));
    return chunks.count();
  } catch (...) {
    return 0;  // only a hint: read() fetches the chunks itself
  }
}

void ChunkedRowReader::read_from_chunk(std::span<const WantedRow> rows, const RowTarget& target) const {
  const auto sample_bytes = static_cast<std::size_t>(layout_.sample_bytes);
  const std::int64_t number = layout_.chunk_of(rows.front().row);
  const auto chunk = reader_->chunks().chunk(entry_, number);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && rows[i].row == rows[i - 1].row) continue;  // copied afterwards
    const auto place = static_cast<std::size_t>(rows[i].row - layout_.first_row(number));
    std::memcpy(target.row(rows[i].place, layout_.sample_bytes), chunk->bytes().data() + place * sample_bytes,
                sample_bytes);
  }
  StreamingHash hash;
  companions_.complete(rows, target, hash);
}

}  // namespace octavo::dataset_file
