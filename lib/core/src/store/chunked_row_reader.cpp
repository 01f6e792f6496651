#include "store/chunked_row_reader.hpp"

#include <algorithm>
#include <cstring>

#include "dataset_file/split_access.hpp"
#include "store/guarded_pieces.hpp"
#include "support/threads.hpp"

namespace octavo::store {

ChunkedRowReader::ChunkedRowReader(const Split& split, bool verify_checksums, bool with_masks, int thread_count)
    : split_(split),
      reader_(*dataset_file::SplitAccess::reader(split_)),
      entry_(dataset_file::SplitAccess::entry(split_)),
      layout_(entry_.chunk_layout()),
      companions_(split_, verify_checksums, with_masks),
      pool_(resolve_thread_count(thread_count)) {}

void ChunkedRowReader::read(std::span<const std::int64_t> rows, const RowTarget& target,
                            const std::atomic<bool>& cancelled) const {
  std::vector<Wanted> wanted;
  wanted.reserve(rows.size());
  for (const std::int64_t row : rows) wanted.push_back({row, static_cast<std::int64_t>(wanted.size())});
  std::sort(wanted.begin(), wanted.end(),
            [](const Wanted& a, const Wanted& b) { return a.row != b.row ? a.row < b.row : a.place < b.place; });
  std::vector<std::size_t> starts;  // where each chunk's rows start, then the end
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i == 0 || layout_.chunk_of(wanted[i].row) != layout_.chunk_of(wanted[i - 1].row)) starts.push_back(i);
  }
  const auto chunk_count = static_cast<std::int64_t>(starts.size());
  starts.push_back(wanted.size());
  const auto read_chunk = [&](std::int64_t number) {
    if (cancelled) return;
    const auto i = static_cast<std::size_t>(number);
    read_from_chunk(std::span(wanted).subspan(starts[i], starts[i + 1] - starts[i]), target);
  };
  // If the file has changed since it was opened, report that rather than any other error.
  run_guarded(pool_, chunk_count, read_chunk, [&] { reader_.ensure_unchanged(); });
}

void ChunkedRowReader::read_from_chunk(std::span<const Wanted> rows, const RowTarget& target) const {
  const auto sample_bytes = static_cast<std::size_t>(layout_.sample_bytes);
  const auto codes_at = [&](const Wanted& wanted) { return target.codes + wanted.place * target.stride_bytes; };
  const auto label_at = [&](const Wanted& wanted) {
    const std::size_t label_bytes = companions_.label_bytes();
    return label_bytes == 0 ? nullptr : target.labels + static_cast<std::size_t>(wanted.place) * label_bytes;
  };
  const std::int64_t number = layout_.chunk_of(rows.front().row);
  const auto chunk = reader_.chunks().chunk(entry_, number);
  StreamingHash hash;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto place = static_cast<std::size_t>(rows[i].row - layout_.first_row(number));
    if (i == 0 || rows[i].row != rows[i - 1].row) {
      std::memcpy(codes_at(rows[i]), chunk->bytes().data() + place * sample_bytes, sample_bytes);
      companions_.complete(rows[i].row, codes_at(rows[i]), label_at(rows[i]), hash);
      continue;
    }
    std::memcpy(codes_at(rows[i]), codes_at(rows[i - 1]), companions_.row_bytes());
    const std::size_t label_bytes = companions_.label_bytes();
    if (label_bytes != 0) std::memcpy(label_at(rows[i]), label_at(rows[i - 1]), label_bytes);
  }
}

}  // namespace octavo::store
