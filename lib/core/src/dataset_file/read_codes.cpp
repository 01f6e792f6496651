#include "dataset_file/read_codes.hpp"

#include <algorithm>
#include <vector>

#include "format/codec.hpp"
#include "format/coded_rows/decode_rows.hpp"
#include "format/reader.hpp"

namespace octavo::dataset_file {
namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{1} << 20;

/// The images or the masks of a split.
struct Part {
  SampleShape shape;  ///< of the values of a row
  const RowOffsets& rows;
  kernels::RowCoding coding;
  void (SplitData::*read)(std::int64_t first_row, std::int64_t count, std::span<std::byte> rows) const;
};

kernels::RowCoding coding_of(const SplitData& data) { return codec_of(data.description().compression).row_coding; }

Part images_of(const SplitData& data) {
  const SplitDescription& split = data.description();
  return {split.shape, split.rows, coding_of(data), &SplitData::read_rows};
}
Part masks_of(const SplitData& data) {
  const SplitDescription& split = data.description();
  return {{split.has_masks ? 1 : 0, split.shape.height, split.shape.width},
          split.mask_rows,
          split.has_masks ? coding_of(data) : kernels::RowCoding::plain,
          &SplitData::read_masks};
}

/// The part of `all` that belongs to samples [first, first + count) of those in `all`; `all` may be empty.
template <typename Byte>
std::span<Byte> part_of(std::span<Byte> all, std::int64_t first, std::int64_t count, std::int64_t bytes) {
  if (all.empty()) return all;
  return all.subspan(static_cast<std::size_t>(first * bytes), static_cast<std::size_t>(count * bytes));
}

/// Checks the arguments of a reader of `values` per sample.
void check_arguments(const SplitData& data, std::int64_t first_row, std::int64_t count, std::size_t bytes,
                     std::int64_t values) {
  const SplitDescription& split = data.description();
  check_rows(split.name, split.sample_count, first_row, count);
  check_row_memory(split.name, count, bytes, count * values);
}

/// Calls work(first, count) for all rows, in blocks.
template <typename Work>
void for_blocks(const SplitData& data, std::int64_t first_row, std::int64_t count, const Work& work) {
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t rows = std::min(count - done, data.rows_per_block(kBlockBytes));
    work(first_row + done, rows);
    done += rows;
  }
}

/// Reads rows as they are stored, into `stored`.
StoredRows read_stored(const SplitData& data, const Part& part, std::int64_t first, std::int64_t count,
                       std::vector<std::byte>& stored) {
  stored.resize(static_cast<std::size_t>(part.rows.bytes(first, count)));
  (data.*part.read)(first, count, stored);
  return {first, count, stored};
}

void read_decoded(const SplitData& data, const Part& part, std::int64_t first_row, std::int64_t count,
                  std::span<std::byte> values) {
  check_arguments(data, first_row, count, values.size(), part.shape.values());
  if (part.coding == kernels::RowCoding::plain) return (data.*part.read)(first_row, count, values);
  std::vector<std::byte> stored;
  for_blocks(data, first_row, count, [&](std::int64_t first, std::int64_t rows) {
    decode_rows(part.coding, part.shape, part.rows, read_stored(data, part, first, rows, stored),
                part_of(values, first - first_row, rows, part.shape.values()));
  });
}

}  // namespace

void read_codes(const SplitData& data, std::int64_t first_row, std::int64_t count, std::span<std::byte> codes) {
  read_decoded(data, images_of(data), first_row, count, codes);
}

void read_masks(const SplitData& data, std::int64_t first_row, std::int64_t count, std::span<std::byte> masks) {
  read_decoded(data, masks_of(data), first_row, count, masks);
}

void read_checked(const SplitData& data, std::int64_t first_row, std::int64_t count, std::span<std::byte> codes,
                  std::span<std::byte> labels, std::span<std::byte> masks) {
  const Part image = images_of(data), mask = masks_of(data);
  check_arguments(data, first_row, count, codes.size(), image.shape.values());
  if (!masks.empty()) check_arguments(data, first_row, count, masks.size(), mask.shape.values());
  data.read_labels(first_row, count, labels);
  const std::int64_t label_bytes = data.description().labels.bytes_per_sample();
  std::vector<std::byte> stored, stored_masks;
  for_blocks(data, first_row, count, [&](std::int64_t first, std::int64_t rows) {
    const auto values = part_of(codes, first - first_row, rows, image.shape.values());
    const StoredRows of_images = image.coding == kernels::RowCoding::plain
                                     ? StoredRows{first, rows, values}
                                     : read_stored(data, image, first, rows, stored);
    if (image.coding == kernels::RowCoding::plain) data.read_rows(first, rows, values);
    const StoredRows of_masks = read_stored(data, mask, first, rows, stored_masks);  // a checksum also covers the mask
    data.check_samples(first, rows, of_images.bytes, part_of(labels, first - first_row, rows, label_bytes),
                       of_masks.bytes);
    if (image.coding != kernels::RowCoding::plain)
      decode_rows(image.coding, image.shape, image.rows, of_images, values);
    if (masks.empty()) return;
    const auto mask_values = part_of(masks, first - first_row, rows, mask.shape.values());
    if (mask.coding == kernels::RowCoding::plain)
      std::ranges::copy(of_masks.bytes, mask_values.begin());
    else
      decode_rows(mask.coding, mask.shape, mask.rows, of_masks, mask_values);
  });
}

}  // namespace octavo::dataset_file
