#include "dataset_file/shards/shard_rows.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "dataset_file/rows/guarded_pieces.hpp"
#include "support/threads.hpp"

namespace octavo::dataset_file {

std::size_t part_of_row(std::span<const ShardPart> parts, std::int64_t row) {
  const auto after = std::ranges::upper_bound(parts, row, {}, &ShardPart::first_row);
  return static_cast<std::size_t>(after - parts.begin()) - 1;
}

/// Rows of a batch that are in one part.
struct ShardRows::Share {
  std::size_t part;
  std::vector<std::int64_t> rows;    ///< of the part
  std::vector<std::int64_t> places;  ///< of the target
};

ShardRows::ShardRows(std::span<const ShardPart> parts, const SplitDescription& whole, const RowReading& reading)
    : parts_(parts.begin(), parts.end()),
      shape_(whole.shape),
      label_bytes_(static_cast<std::size_t>(whole.labels.bytes_per_sample())),
      with_masks_(whole.has_masks && reading.with_masks),
      pool_(resolve_thread_count(reading.thread_count)) {
  // The threads are those of the pool.
  RowReading of_part = reading;
  of_part.thread_count = 1;
  for (const ShardPart& part : parts) sources_.push_back(part.data->open_rows(of_part));
}

void ShardRows::read(std::span<const std::int64_t> rows, const RowTarget& target,
                     const std::atomic<bool>& cancelled) const {
  // A batch may be in one shard: no thread gets more rows than its share.
  const std::size_t most = (rows.size() + static_cast<std::size_t>(pool_.thread_count()) - 1) /
                           static_cast<std::size_t>(pool_.thread_count());
  std::vector<Share> shares;
  std::map<std::size_t, std::size_t> share_of_part;
  for (std::int64_t place = 0; place < std::ssize(rows); ++place) {
    const std::int64_t row = rows[static_cast<std::size_t>(place)];
    const std::size_t part = part_of_row(parts_, row);
    auto& number = share_of_part.try_emplace(part, shares.size()).first->second;
    if (number < shares.size() && shares[number].rows.size() == most) number = shares.size();
    if (number == shares.size()) shares.push_back({part, {}, {}});
    shares[number].rows.push_back(row - parts_[part].first_row);
    shares[number].places.push_back(place);
  }
  // All shards at the same time: the threads take one share after another.
  for (const Share& share : shares) sources_[share.part]->start(share.rows);
  // Each source checks by itself that its file is unchanged.
  run_guarded(
      pool_, std::ssize(shares),
      [&](std::int64_t number) { read_share(shares[static_cast<std::size_t>(number)], target, cancelled); }, [] {});
}

std::int64_t ShardRows::start(std::span<const std::int64_t> rows) const noexcept {
  try {
    std::int64_t ranges = 0;
    std::map<std::size_t, std::vector<std::int64_t>> of_parts;
    for (const std::int64_t row : rows) {
      const std::size_t part = part_of_row(parts_, row);
      of_parts[part].push_back(row - parts_[part].first_row);
    }
    for (const auto& [part, of_part] : of_parts) ranges += sources_[part]->start(of_part);
    return ranges;
  } catch (...) {
    return 0;  // only a hint: read() fetches the rows itself
  }
}

/// Rows and masks are read into their places; labels are short, and are copied there.
void ShardRows::read_share(const Share& share, const RowTarget& target, const std::atomic<bool>& cancelled) const {
  const std::int64_t image_bytes = shape_.values(), mask_bytes = shape_.values_per_channel();
  std::vector<std::uint64_t> row_offsets, mask_offsets;
  for (const std::int64_t place : share.places) {
    row_offsets.push_back(static_cast<std::uint64_t>(target.row(place, image_bytes) - target.rows));
    if (with_masks_) mask_offsets.push_back(static_cast<std::uint64_t>(target.mask(place, mask_bytes) - target.masks));
  }
  std::vector<std::byte> labels(share.rows.size() * label_bytes_);
  sources_[share.part]->read(share.rows,
                             {target.rows, with_masks_ ? target.masks : nullptr, labels.data(), row_offsets.data(),
                              with_masks_ ? mask_offsets.data() : nullptr},
                             cancelled);
  if (cancelled || label_bytes_ == 0) return;
  for (std::size_t i = 0; i < share.places.size(); ++i) {
    std::memcpy(target.labels + static_cast<std::size_t>(share.places[i]) * label_bytes_,
                labels.data() + i * label_bytes_, label_bytes_);
  }
}

}  // namespace octavo::dataset_file
