#include "dataset_file/shards/decoded_split.hpp"

#include <cstring>
#include <vector>

#include "dataset_file/read_codes.hpp"
#include "format/codec.hpp"
#include "format/coded_rows/decode_rows.hpp"

namespace octavo::dataset_file {
namespace {

SampleShape mask_shape(const SplitDescription& split) { return {1, split.shape.height, split.shape.width}; }

/// Reads rows as they are stored, and decodes each into its place.
class DecodedRows final : public RowSource {
 public:
  DecodedRows(std::shared_ptr<const SplitData> coded, const RowReading& reading)
      : coded_(std::move(coded)), with_masks_(reading.with_masks), rows_(coded_->open_rows(reading)) {}

  void read(std::span<const std::int64_t> rows, const RowTarget& target,
            const std::atomic<bool>& cancelled) const override {
    const SplitDescription& split = coded_->description();
    const bool has_masks = split.has_masks && with_masks_;
    const RowOffsets images = split.rows.selected_rows(rows);
    const RowOffsets masks = has_masks ? split.mask_rows.selected_rows(rows) : RowOffsets();
    std::vector<std::byte> stored(static_cast<std::size_t>(images.total_bytes()));
    std::vector<std::byte> stored_masks(static_cast<std::size_t>(masks.total_bytes()));
    rows_->read(rows,
                {stored.data(), has_masks ? stored_masks.data() : nullptr, target.labels,
                 images.table().empty() ? nullptr : images.table().data(),
                 masks.table().empty() ? nullptr : masks.table().data()},
                cancelled);
    if (cancelled) return;
    for (std::int64_t i = 0; i < std::ssize(rows); ++i) {
      decode(split.shape, images, stored, i, target.row(i, split.shape.values()));
      if (has_masks) decode(mask_shape(split), masks, stored_masks, i, target.mask(i, mask_shape(split).values()));
    }
  }

  std::int64_t start(std::span<const std::int64_t> rows) const noexcept override { return rows_->start(rows); }
  bool is_remote() const noexcept override { return rows_->is_remote(); }

 private:
  void decode(const SampleShape& shape, const RowOffsets& offsets, std::span<const std::byte> stored, std::int64_t i,
              std::byte* out) const {
    const auto bytes = stored.subspan(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets.bytes(i)));
    decode_rows(codec_of(coded_->description().compression).row_coding, shape, offsets, {i, 1, bytes},
                {out, static_cast<std::size_t>(shape.values())});
  }

  std::shared_ptr<const SplitData> coded_;
  bool with_masks_;
  std::unique_ptr<const RowSource> rows_;
};

}  // namespace

DecodedSplit::DecodedSplit(std::shared_ptr<const SplitData> coded)
    : coded_(std::move(coded)), description_(coded_->description()) {
  description_.rows = {description_.sample_count, description_.shape.values()};
  description_.mask_rows = {description_.sample_count,
                            description_.has_masks ? mask_shape(description_).values() : std::int64_t{0}};
  description_.compression = Compression::none;
}

void DecodedSplit::read_rows(std::int64_t first_row, std::int64_t count, std::span<std::byte> rows) const {
  read_codes(*coded_, first_row, count, rows);
}

void DecodedSplit::read_masks(std::int64_t first_row, std::int64_t count, std::span<std::byte> masks) const {
  dataset_file::read_masks(*coded_, first_row, count, masks);
}

void DecodedSplit::check_samples(std::int64_t first_row, std::int64_t count, std::span<const std::byte> /*rows*/,
                                 std::span<const std::byte> labels, std::span<const std::byte> /*masks*/) const {
  const SplitDescription& coded = coded_->description();
  std::vector<std::byte> rows(static_cast<std::size_t>(coded.rows.bytes(first_row, count)));
  std::vector<std::byte> masks(static_cast<std::size_t>(coded.mask_rows.bytes(first_row, count)));
  coded_->read_rows(first_row, count, rows);
  if (coded.has_masks) coded_->read_masks(first_row, count, masks);
  coded_->check_samples(first_row, count, rows, labels, masks);
}

std::unique_ptr<const RowSource> DecodedSplit::open_rows(const RowReading& reading) const {
  return std::make_unique<const DecodedRows>(coded_, reading);
}

}  // namespace octavo::dataset_file
