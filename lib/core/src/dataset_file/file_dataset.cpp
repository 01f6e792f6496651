#include "dataset_file/file_dataset.hpp"

#include <algorithm>

#include "dataset_file/rows/chunked_row_reader.hpp"
#include "dataset_file/rows/row_reader.hpp"
#include "support/hash.hpp"

namespace octavo::dataset_file {
namespace {

SplitDescription described(const Reader& reader, const SplitEntry& entry) {
  return {.name = entry.name,
          .sample_count = entry.sample_count,
          .shape = entry.shape,
          .labels = entry.label_layout,
          .has_masks = entry.masks.has_value(),
          .color = entry.color,
          .source_dtype = entry.source_dtype,
          .compression = reader.index().codec->compression,
          .max_error = static_cast<int>(entry.max_error),
          .packed_bytes = entry.packed_bytes(),
          .stored_bytes = entry.stored_bytes(),
          .rows = entry.rows,
          .mask_rows = entry.mask_rows,
          .class_names = reader.index().class_names,
          .columns = entry.columns,
          .quantization = entry.quantization,
          .data_hash = entry.decoded_checksums.value_or(entry.checksums).hash.value_or(0)};
}

}  // namespace

FileSplit::FileSplit(std::shared_ptr<const Reader> reader, const SplitEntry& entry)
    : reader_(std::move(reader)), entry_(entry), description_(described(*reader_, entry)) {}

std::optional<std::string> FileSplit::sample_name(std::int64_t row) const {
  if (!entry_.names) return std::nullopt;
  return reader_->sample_name(entry_, row);
}

std::string FileSplit::metadata() const { return entry_.columns_dataset ? reader_->columns(entry_).dump() : "{}"; }

/// Blocks of chunked images have whole chunks, so each chunk is decoded once, directly into place.
std::int64_t FileSplit::rows_per_block(std::int64_t block_bytes) const {
  const std::int64_t wanted = std::max<std::int64_t>(1, block_bytes / entry_.rows.mean_bytes());
  if (!entry_.chunked) return wanted;
  const std::int64_t per_chunk = entry_.chunked->samples_per_chunk;
  return (wanted + per_chunk - 1) / per_chunk * per_chunk;
}

std::unique_ptr<const RowSource> FileSplit::open_rows(const RowReading& reading) const {
  const Codec& codec = *reader_->index().codec;
  if (codec.rows_stand_alone) {
    return std::make_unique<const RowReader>(reader_, entry_, reading);
  }
  return std::make_unique<const ChunkedRowReader>(reader_, entry_, reading);
}

FileDataset::FileDataset(std::shared_ptr<const Reader> reader) : reader_(std::move(reader)) {
  for (const SplitEntry& entry : reader_->index().splits) {
    splits_.push_back(std::make_shared<const FileSplit>(reader_, entry));
  }
}

std::string FileDataset::digest() const { return to_hex(reader_->header().index_hash); }

}  // namespace octavo::dataset_file
