#include "dataset_file/shards/shard_rows.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>

#include "support/threads.hpp"

namespace octavo::dataset_file {

std::size_t part_of_row(std::span<const ShardPart> parts, std::int64_t row) {
  const auto after = std::ranges::upper_bound(parts, row, {}, &ShardPart::first_row);
  return static_cast<std::size_t>(after - parts.begin()) - 1;
}

/// The rows of a batch that are in one part.
struct ShardRows::Share {
  std::size_t part;
  std::vector<std::int64_t> rows;    ///< of the part
  std::vector<std::int64_t> places;  ///< of the target
};

ShardRows::ShardRows(std::span<const ShardPart> parts, const SplitDescription& whole, const RowReading& reading)
    : parts_(parts),
      whole_(whole),
      with_masks_(whole.has_masks && reading.with_masks),
      pool_(static_cast<int>(std::min<std::int64_t>(std::ssize(parts), resolve_thread_count(reading.thread_count)))) {
  // With several shards at a time, each is read by one thread.
  RowReading of_part = reading;
  if (parts.size() > 1) of_part.thread_count = 1;
  for (const ShardPart& part : parts) sources_.push_back(part.data->open_rows(of_part));
}

void ShardRows::read(std::span<const std::int64_t> rows, const RowTarget& target,
                     const std::atomic<bool>& cancelled) const {
  std::map<std::size_t, Share> by_part;
  for (std::int64_t place = 0; place < std::ssize(rows); ++place) {
    const std::int64_t row = rows[static_cast<std::size_t>(place)];
    const std::size_t part = part_of_row(parts_, row);
    Share& share = by_part.try_emplace(part, Share{part, {}, {}}).first->second;
    share.rows.push_back(row - parts_[part].first_row);
    share.places.push_back(place);
  }
  std::vector<const Share*> shares;
  for (const auto& [part, share] : by_part) shares.push_back(&share);
  std::exception_ptr problem;
  std::size_t problem_at = shares.size();
  std::mutex problem_mutex;
  pool_.run(std::ssize(shares), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    try {
      read_share(*shares[at], target, cancelled);
    } catch (...) {
      // Of several, the one of the first shard.
      const std::scoped_lock lock(problem_mutex);
      if (at >= problem_at) return;
      problem_at = at;
      problem = std::current_exception();
    }
  });
  if (problem) std::rethrow_exception(problem);
}

/// Rows and masks are read into their places; labels are short, and are copied there.
void ShardRows::read_share(const Share& share, const RowTarget& target, const std::atomic<bool>& cancelled) const {
  const std::int64_t image_bytes = whole_.shape.values(), mask_bytes = whole_.shape.values_per_channel();
  std::vector<std::uint64_t> row_offsets, mask_offsets;
  for (const std::int64_t place : share.places) {
    row_offsets.push_back(static_cast<std::uint64_t>(target.row(place, image_bytes) - target.rows));
    if (with_masks_) mask_offsets.push_back(static_cast<std::uint64_t>(target.mask(place, mask_bytes) - target.masks));
  }
  const auto label_bytes = static_cast<std::size_t>(whole_.labels.bytes_per_sample());
  std::vector<std::byte> labels(share.rows.size() * label_bytes);
  sources_[share.part]->read(share.rows,
                             {target.rows, with_masks_ ? target.masks : nullptr, labels.data(), row_offsets.data(),
                              with_masks_ ? mask_offsets.data() : nullptr},
                             cancelled);
  if (cancelled || label_bytes == 0) return;
  for (std::size_t i = 0; i < share.places.size(); ++i) {
    std::memcpy(target.labels + static_cast<std::size_t>(share.places[i]) * label_bytes,
                labels.data() + i * label_bytes, label_bytes);
  }
}

}  // namespace octavo::dataset_file
