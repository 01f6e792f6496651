#include "store/sample_companions.hpp"

#include <cstring>

#include "dataset_file/split_access.hpp"
#include "store/residency_rules.hpp"

namespace octavo::store {

SampleCompanions::SampleCompanions(const Split& split, bool verify_checksums, bool with_masks)
    : reader_(*dataset_file::SplitAccess::reader(split)),
      entry_(dataset_file::SplitAccess::entry(split)),
      code_bytes_(static_cast<std::size_t>(entry_.shape.values())),
      mask_bytes_(static_cast<std::size_t>(entry_.mask_bytes())),
      with_masks_(with_masks),
      label_bytes_(static_cast<std::size_t>(split.labels().bytes_per_sample())) {
  if (split.labels().bytes_per_sample() <= kMostKeptLabelBytes) {
    labels_.resize(static_cast<std::size_t>(split.sample_count()) * label_bytes_);
    reader_.read_labels(entry_, 0, split.sample_count(), labels_);
  }
  if (verify_checksums) checksums_ = reader_.row_checksums(entry_, 0, split.sample_count());
}

void SampleCompanions::read_label(std::int64_t row, std::span<std::byte> label) const {
  if (label.empty()) return;
  if (labels_.empty()) return reader_.read_labels(entry_, row, 1, label);
  std::memcpy(label.data(), labels_.data() + static_cast<std::size_t>(row) * label_bytes_, label_bytes_);
}

void SampleCompanions::complete(std::int64_t row, std::byte* codes, std::byte* label, StreamingHash& hash) const {
  const std::span<std::byte> label_out(label_bytes_ == 0 ? nullptr : label, label_bytes_);
  read_label(row, label_out);
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
  if (sample_checksum(hash, code_bytes, label_out, mask) == checksums_[static_cast<std::size_t>(row)]) return;
  reader_.fail_sample(entry_, row);
}

}  // namespace octavo::store
