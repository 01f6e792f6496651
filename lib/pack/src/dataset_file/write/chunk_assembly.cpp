#include "dataset_file/write/chunk_assembly.hpp"

#include <algorithm>
#include <utility>

namespace octavo::dataset_file {

ChunkAssembly::ChunkAssembly(const ChunkLayout& layout, const Codec& codec, int level, ChunkWriter& writer,
                             std::size_t dataset, const Spool& spool, std::size_t split)
    : layout_(layout), codec_(codec), level_(level), writer_(writer), dataset_(dataset), spool_(spool), split_(split) {
  for (std::int64_t chunk = 0; chunk < layout_.chunk_count(); ++chunk) {
    missing_rows_.push_back(layout_.end_row(chunk) - layout_.first_row(chunk));
  }
}

void ChunkAssembly::add(std::int64_t first_row, std::span<const std::byte> codes) {
  const auto bytes_of = [this](std::int64_t rows) { return static_cast<std::size_t>(rows * layout_.sample_bytes); };
  const std::int64_t end_row = first_row + static_cast<std::int64_t>(codes.size()) / layout_.sample_bytes;
  for (std::int64_t row = first_row; row < end_row;) {
    const std::int64_t chunk = layout_.chunk_of(row);
    const std::int64_t next = std::min(end_row, layout_.end_row(chunk));
    const auto part = codes.subspan(bytes_of(row - first_row), bytes_of(next - row));
    if (row == layout_.first_row(chunk) && next == layout_.end_row(chunk))
      finish(chunk, part);
    else
      add_part(chunk, row, part);
    row = next;
  }
}

void ChunkAssembly::add_part(std::int64_t chunk, std::int64_t first_row, std::span<const std::byte> codes) {
  spool_.file().write_at(spool_.values_offset(split_, first_row), codes);
  {
    const std::lock_guard lock(mutex_);
    std::int64_t& missing = missing_rows_[static_cast<std::size_t>(chunk)];
    missing -= static_cast<std::int64_t>(codes.size()) / layout_.sample_bytes;
    if (missing > 0) return;
  }
  const std::int64_t begin = layout_.first_row(chunk);
  std::vector<std::byte> whole(static_cast<std::size_t>((layout_.end_row(chunk) - begin) * layout_.sample_bytes));
  spool_.file().read_at(spool_.values_offset(split_, begin), whole);
  finish(chunk, whole);
}

void ChunkAssembly::finish(std::int64_t chunk, std::span<const std::byte> codes) {
  const auto chunk_bytes = static_cast<std::size_t>(layout_.chunk_bytes());
  if (codes.size() == chunk_bytes) return writer_.put(dataset_, chunk, encode(codes));
  std::vector<std::byte> padded(codes.begin(), codes.end());
  padded.resize(chunk_bytes);
  writer_.put(dataset_, chunk, encode(padded));
}

ReadyChunk ChunkAssembly::encode(std::span<const std::byte> codes) {
  std::unique_ptr<ChunkEncoder> encoder;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_encoders_.empty()) {
      encoder = std::move(idle_encoders_.back());
      idle_encoders_.pop_back();
    }
  }
  if (!encoder) encoder = codec_.make_encoder(level_);
  auto stream = encoder->encode(codes);
  {
    const std::lock_guard lock(mutex_);
    idle_encoders_.push_back(std::move(encoder));
  }
  if (stream) return {std::move(*stream), true};
  return {{codes.begin(), codes.end()}, false};
}

}  // namespace octavo::dataset_file
