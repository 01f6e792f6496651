#include "store/sample_companions.hpp"

#include <cstring>

#include "dataset_file/split_access.hpp"
#include "store/residency_rules.hpp"

namespace octavo::store {

SampleCompanions::SampleCompanions(const Split& split, bool verify_checksums)
    : reader_(*dataset_file::SplitAccess::reader(split)),
      entry_(dataset_file::SplitAccess::entry(split)),
      label_bytes_(static_cast<std::size_t>(split.labels().bytes_per_sample())) {
  if (split.labels().bytes_per_sample() <= kMostKeptLabelBytes) {
    labels_.resize(static_cast<std::size_t>(split.sample_count()) * label_bytes_);
    reader_.read_labels(entry_, 0, split.sample_count(), labels_);
  }
  if (verify_checksums) checksums_ = reader_.row_checksums(entry_, 0, split.sample_count());
}

void SampleCompanions::complete(std::int64_t row, const std::byte* codes, std::byte* label, StreamingHash& hash) const {
  const std::span<std::byte> label_out(label_bytes_ == 0 ? nullptr : label, label_bytes_);
  if (!label_out.empty() && labels_.empty()) {
    reader_.read_labels(entry_, row, 1, label_out);
  } else if (!label_out.empty()) {
    std::memcpy(label, labels_.data() + static_cast<std::size_t>(row) * label_bytes_, label_bytes_);
  }
  if (checksums_.empty()) return;
  const std::span<const std::byte> code_bytes(codes, static_cast<std::size_t>(entry_.shape.values()));
  if (sample_checksum(hash, code_bytes, label_out) == checksums_[static_cast<std::size_t>(row)]) return;
  reader_.fail_sample(entry_, row);
}

}  // namespace octavo::store
