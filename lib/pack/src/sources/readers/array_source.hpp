// A source over arrays: the images of one split, and their labels.
#pragma once

#include <memory>
#include <vector>

#include <octavo/source.hpp>

#include "arrays/array_set.hpp"
#include "arrays/image_axes.hpp"
#include "arrays/label_array.hpp"
#include "arrays/quantizer.hpp"

namespace octavo::sources {

/// Reads the images on demand. A sample without a label, with a label out of range, or with NaN or infinity, is a bad
/// sample, reported by read().
class ArraySource final : public Source {
 public:
  /// `labels`: those of the set, as read_labels_of() returns them. `quantization` [C]: the meaning of the values; empty
  /// if the images hold bytes. Throws FormatError.
  ArraySource(arrays::ArraySet set, arrays::LabelTable labels, std::vector<ChannelQuantization> quantization);

  const std::vector<SourceSplit>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return set_.class_names; }
  std::string format() const override { return set_.format; }
  bool is_random_access() const override { return set_.images->is_random_access(); }
  std::string sample_name(std::size_t split, std::int64_t row) const override;
  std::optional<std::int32_t> class_index(std::size_t split, std::int64_t row) const override;
  std::vector<std::int32_t> class_indices(std::size_t split, std::int64_t row) const override;
  std::vector<SampleFailure> read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                  std::span<std::uint8_t> values, std::span<std::byte> labels) override;
  std::vector<std::string> files() const override;
  /// Includes the quantization loss of the samples read so far.
  SourceNotes notes() const override;

 private:
  bool is_unlabeled(std::int64_t row) const;
  void check_label(std::int64_t row, std::vector<SampleFailure>& failures) const;
  void arrange(std::span<const std::byte> row, std::span<std::uint8_t> values) const;
  bool quantize(std::int64_t row, std::span<const std::byte> stored, std::span<std::uint8_t> values);

  arrays::ArraySet set_;
  arrays::ImageAxes axes_;
  std::unique_ptr<arrays::Quantizer> quantizer_;  ///< null for bytes
  const arrays::LabelTable labels_;
  std::vector<SourceSplit> splits_;
};

}  // namespace octavo::sources
