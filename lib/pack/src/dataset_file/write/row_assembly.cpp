#include "dataset_file/write/row_assembly.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "format/coded_rows/divide_codes.hpp"
#include "support/threads.hpp"

namespace octavo::dataset_file {
namespace {

/// Rows that a thread copies at once, unless a single one is larger.
constexpr std::int64_t kCopiedBytes = std::int64_t{4} << 20;

/// Rows [first, end), at `place` in the file.
struct CopiedRows {
  std::size_t first, end;
  std::int64_t place, bytes;
};

}  // namespace

RowAssembly::RowAssembly(const Codec& codec, std::shared_ptr<const RowTables> tables, const SampleShape& shape,
                         int max_error, std::int64_t row_count, const Spool& spool)
    : codec_(codec),
      tables_(std::move(tables)),
      shape_(shape),
      max_error_(max_error),
      spool_(spool),
      sizes_(static_cast<std::size_t>(row_count)),
      in_spool_(static_cast<std::size_t>(row_count)) {}

std::unique_ptr<RowEncoder> RowAssembly::take_encoder() {
  const std::lock_guard lock(mutex_);
  if (idle_encoders_.empty()) return codec_.make_row_encoder(shape_, tables_);
  std::unique_ptr<RowEncoder> encoder = std::move(idle_encoders_.back());
  idle_encoders_.pop_back();
  return encoder;
}

EncodedRows RowAssembly::add(std::int64_t first_row, std::span<const std::byte> codes) {
  std::unique_ptr<RowEncoder> encoder = take_encoder();
  const auto values = static_cast<std::size_t>(shape_.values());
  EncodedRows encoded;
  std::vector<std::byte> divided;
  if (max_error_ != 0) {
    divided.assign(codes.begin(), codes.end());
    divide_codes(max_error_, divided);
    codes = divided;
  }
  for (std::size_t at = 0; at < codes.size(); at += values) {
    const std::size_t before = encoded.bytes.size();
    encoder->encode(codes.subspan(at, values), encoded.bytes);
    encoded.sizes.push_back(static_cast<std::uint32_t>(encoded.bytes.size() - before));
  }
  {
    const std::lock_guard lock(mutex_);
    idle_encoders_.push_back(std::move(encoder));
  }
  std::int64_t place = spool_.append(encoded.bytes);
  for (std::size_t i = 0; i < encoded.sizes.size(); ++i) {
    const std::size_t row = static_cast<std::size_t>(first_row) + i;
    sizes_[row] = encoded.sizes[i];
    in_spool_[row] = place;
    place += encoded.sizes[i];
  }
  return encoded;
}

std::int64_t RowAssembly::total_bytes() const { return std::accumulate(sizes_.begin(), sizes_.end(), std::int64_t{0}); }

void RowAssembly::write(const File& file, std::int64_t offset, int thread_count) const {
  std::vector<CopiedRows> pieces;
  for (std::size_t row = 0; row < sizes_.size(); ++row) {
    const std::int64_t bytes = sizes_[row];
    if (pieces.empty() || pieces.back().bytes + bytes > kCopiedBytes) pieces.push_back({row, row, offset, 0});
    pieces.back().end = row + 1;
    pieces.back().bytes += bytes;
    offset += bytes;
  }
  std::atomic<std::size_t> next = 0;
  run_on_threads(thread_count, [&](int) {
    std::vector<std::byte> rows;
    for (std::size_t at; (at = next.fetch_add(1)) < pieces.size();) {
      const CopiedRows& piece = pieces[at];
      rows.resize(static_cast<std::size_t>(piece.bytes));
      std::size_t done = 0;
      for (std::size_t row = piece.first; row < piece.end;) {
        // Rows that were added together are next to each other.
        std::size_t end = row;
        std::int64_t place = in_spool_[row];
        for (; end < piece.end && in_spool_[end] == place; ++end) place += sizes_[end];
        const auto bytes = static_cast<std::size_t>(place - in_spool_[row]);
        spool_.file().read_at(in_spool_[row], std::span(rows).subspan(done, bytes));
        done += bytes;
        row = end;
      }
      file.write_at(piece.place, rows);
      file.start_write_back(piece.place, piece.bytes);
    }
  });
}

}  // namespace octavo::dataset_file
