#include "dataset_file/rows/sample_companions.hpp"

#include <algorithm>
#include <cstring>

namespace octavo::dataset_file {

SampleCompanions::SampleCompanions(const Reader& reader, const SplitEntry& entry, const RowReading& reading)
    : reader_(reader),
      entry_(entry),
      with_masks_(reading.with_masks),
      label_bytes_(static_cast<std::size_t>(entry.label_layout.bytes_per_sample())) {
  if (entry.label_layout.bytes_per_sample() <= kMostKeptLabelBytes) {
    labels_.resize(static_cast<std::size_t>(entry.sample_count) * label_bytes_);
    reader_.read_labels(entry_, 0, entry.sample_count, labels_);
  }
  if (reading.verify_checksums) checksums_ = reader_.row_checksums(entry_, 0, entry.sample_count);
}

void SampleCompanions::complete(std::span<const WantedRow> rows, const RowTarget& target, StreamingHash& hash) const {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Parts to = parts_at(target, rows[i]);
    if (i == 0 || rows[i - 1].row != rows[i].row) {
      complete_row(rows[i].row, to, hash);
      continue;
    }
    const Parts from = parts_at(target, rows[i - 1]);
    std::ranges::copy(from.codes, to.codes.begin());
    std::ranges::copy(from.mask, to.mask.begin());
    std::ranges::copy(from.label, to.label.begin());
  }
}

void SampleCompanions::start(std::span<const WantedRow> rows) const noexcept {
  const ByteSource& source = reader_.source();
  const bool reads_masks = entry_.masks && (with_masks_ || !checksums_.empty());
  const bool reads_labels = label_bytes_ > 0 && labels_.empty();
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t end = first + 1;
    while (end < rows.size() && rows[end].row - rows[end - 1].row <= 1) ++end;
    const std::int64_t row = rows[first].row, count = rows[end - 1].row - row + 1;
    if (reads_masks)
      source.start_read(entry_.masks->offset + entry_.mask_rows[row], entry_.mask_rows.bytes(row, count));
    if (reads_labels) {
      const auto label_bytes = static_cast<std::int64_t>(label_bytes_);
      source.start_read(entry_.labels->offset + row * label_bytes, count * label_bytes);
    }
    first = end;
  }
}

SampleCompanions::Parts SampleCompanions::parts_at(const RowTarget& target, const WantedRow& row) const {
  const auto at = static_cast<std::size_t>(row.place);
  const std::int64_t row_bytes = entry_.rows.bytes(row.row);
  const std::int64_t mask_bytes = with_masks_ ? entry_.mask_rows.bytes(row.row) : 0;
  const auto part = [](std::byte* begin, std::int64_t bytes) {
    return bytes == 0 ? std::span<std::byte>() : std::span(begin, static_cast<std::size_t>(bytes));
  };
  return {part(target.row(row.place, row_bytes), row_bytes),
          mask_bytes == 0 ? std::span<std::byte>() : part(target.mask(row.place, mask_bytes), mask_bytes),
          label_bytes_ == 0 ? std::span<std::byte>() : std::span(target.labels + at * label_bytes_, label_bytes_)};
}

void SampleCompanions::read_label(std::int64_t row, std::span<std::byte> label) const {
  if (label.empty()) return;
  if (labels_.empty()) return reader_.read_labels(entry_, row, 1, label);
  std::memcpy(label.data(), labels_.data() + static_cast<std::size_t>(row) * label_bytes_, label_bytes_);
}

void SampleCompanions::complete_row(std::int64_t row, const Parts& to, StreamingHash& hash) const {
  read_label(row, to.label);
  std::vector<std::byte> unwanted;  // a checksum also covers the mask
  std::span<std::byte> mask = to.mask;
  if (!with_masks_ && !checksums_.empty()) {
    unwanted.resize(static_cast<std::size_t>(entry_.mask_rows.bytes(row)));
    mask = unwanted;
  }
  if (!mask.empty()) reader_.read_masks(entry_, row, 1, mask);
  if (checksums_.empty()) return;
  if (sample_checksum(hash, to.codes, to.label, mask) == checksums_[static_cast<std::size_t>(row)]) return;
  reader_.fail_sample(entry_, row);
}

}  // namespace octavo::dataset_file
