#include "dataset_file/rows/sample_companions.hpp"

#include <cstring>

namespace octavo::dataset_file {

SampleCompanions::SampleCompanions(const Reader& reader, const SplitEntry& entry, const RowReading& reading)
    : reader_(reader),
      entry_(entry),
      code_bytes_(static_cast<std::size_t>(entry.shape.values())),
      mask_bytes_(static_cast<std::size_t>(entry.mask_bytes())),
      with_masks_(reading.with_masks),
      label_bytes_(static_cast<std::size_t>(entry.label_layout.bytes_per_sample())) {
  if (entry.label_layout.bytes_per_sample() <= kMostKeptLabelBytes) {
    labels_.resize(static_cast<std::size_t>(entry.sample_count) * label_bytes_);
    reader_.read_labels(entry_, 0, entry.sample_count, labels_);
  }
  if (reading.verify_checksums) checksums_ = reader_.row_checksums(entry_, 0, entry.sample_count);
}

void SampleCompanions::complete(std::span<const WantedRow> rows, const RowTarget& target, StreamingHash& hash) const {
  const std::size_t row_bytes = code_bytes_ + (with_masks_ ? mask_bytes_ : 0);
  const auto codes_at = [&](const WantedRow& wanted) { return target.codes + wanted.place * target.stride_bytes; };
  const auto label_at = [&](const WantedRow& wanted) {
    return label_bytes_ == 0
               ? std::span<std::byte>()
               : std::span(target.labels + static_cast<std::size_t>(wanted.place) * label_bytes_, label_bytes_);
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || rows[i - 1].row != rows[i].row) {
      complete_row(rows[i].row, codes_at(rows[i]), label_at(rows[i]), hash);
      continue;
    }
    std::memcpy(codes_at(rows[i]), codes_at(rows[i - 1]), row_bytes);
    if (label_bytes_ != 0) std::memcpy(label_at(rows[i]).data(), label_at(rows[i - 1]).data(), label_bytes_);
  }
}

void SampleCompanions::read_label(std::int64_t row, std::span<std::byte> label) const {
  if (label.empty()) return;
  if (labels_.empty()) return reader_.read_labels(entry_, row, 1, label);
  std::memcpy(label.data(), labels_.data() + static_cast<std::size_t>(row) * label_bytes_, label_bytes_);
}

void SampleCompanions::complete_row(std::int64_t row, std::byte* codes, std::span<std::byte> label,
                                    StreamingHash& hash) const {
  read_label(row, label);
  std::vector<std::byte> unwanted;  // a checksum also covers the mask
  std::span<std::byte> mask;
  if (mask_bytes_ > 0 && with_masks_) mask = {codes + code_bytes_, mask_bytes_};
  if (mask_bytes_ > 0 && !with_masks_ && !checksums_.empty()) {
    unwanted.resize(mask_bytes_);
    mask = unwanted;
  }
  if (!mask.empty()) reader_.read_masks(entry_, row, 1, mask);
  if (checksums_.empty()) return;
  const std::span<const std::byte> code_bytes(codes, code_bytes_);
  if (sample_checksum(hash, code_bytes, label, mask) == checksums_[static_cast<std::size_t>(row)]) return;
  reader_.fail_sample(entry_, row);
}

}  // namespace octavo::dataset_file
