#include "store/staging/staging_slot.hpp"

#include <algorithm>
#include <utility>

namespace octavo::store {
namespace {

constexpr auto kNumberBytes = static_cast<std::int64_t>(sizeof(std::int64_t));
/// Of each sample of the batch: its row number, its index in the split, and its epoch.
constexpr std::int64_t kNumbersPerSample = 3;

}  // namespace

StagingSlot::StagingSlot(std::shared_ptr<const StoredSamples> samples, std::int64_t most_rows)
    : samples_(std::move(samples)) {
  const std::int64_t bytes = samples_->layout.end_offset(most_rows) + most_rows * kNumbersPerSample * kNumberBytes;
  const auto& backend = samples_->backend;
  memory_ = backend::DeviceBuffer(backend, static_cast<std::size_t>(bytes), "the samples of a batch");
  copied_ = backend::OwnedEvent(backend);
  used_ = backend::OwnedEvent(backend);
}

StagingSlot::~StagingSlot() {
  backend::finish(*samples_->backend, copied_.get());
  backend::finish(*samples_->backend, used_.get());
}

std::unique_ptr<Upload> StagingSlot::make_upload() const {
  if (samples_->backend->is_host()) return nullptr;
  const std::int64_t one_row = samples_->layout.end_offset(1) + kNumbersPerSample * kNumberBytes;
  return std::make_unique<Upload>(samples_->backend, std::max(one_row, std::min(device_bytes(), kUploadBlockBytes)));
}

void StagingSlot::fill(const BatchRows& batch, Upload* upload, StreamRef stream, const std::atomic<bool>& cancelled) {
  backend::Backend& backend = *samples_->backend;
  batch_count_ = 0;
  choose_staged(batch);
  if (backend.is_host()) {
    backend.synchronize_event(used_.get());
    read_all(memory(), cancelled);
  } else {
    backend.wait(stream, used_.get());
    if (filled_bytes() <= upload->block_bytes())
      fill_whole(*upload, stream, cancelled);
    else
      fill_in_parts(*upload, stream, cancelled);
    backend::record_or_finish(backend, copied_.get(), stream);
  }
  batch_count_ = static_cast<std::int64_t>(batch.rows.size());
}

void StagingSlot::choose_staged(const BatchRows& batch) {
  batch_ = place(batch, samples_->resident);
  numbers_ = batch_.rows.numbers();
}

std::int64_t StagingSlot::filled_bytes() const {
  return numbers_offset() + static_cast<std::int64_t>(numbers_.size()) * kNumberBytes;
}

/// Where samples are read to in a block for `count` of them.
dataset_file::RowTarget StagingSlot::target_of(std::byte* block, std::int64_t count) const {
  const RowLayout& layout = samples_->layout;
  return {block, block + layout.masks_offset(count), block + layout.labels_offset(count)};
}

/// Reads everything, in device layout.
void StagingSlot::read_all(std::byte* to, const std::atomic<bool>& cancelled) const {
  samples_->rows->read(batch_.staged, target_of(to, staged_count()), cancelled);
  std::copy(numbers_.begin(), numbers_.end(), reinterpret_cast<std::int64_t*>(to + numbers_offset()));
}

/// Uploads everything with one copy.
void StagingSlot::fill_whole(Upload& upload, StreamRef stream, const std::atomic<bool>& cancelled) {
  std::byte* block = upload.begin_block();
  read_all(block, cancelled);
  upload.copy(memory(), block, filled_bytes(), stream);
  upload.finish_block(stream);
}

/// Reads one block while the previous one is copied.
void StagingSlot::fill_in_parts(Upload& upload, StreamRef stream, const std::atomic<bool>& cancelled) {
  const RowLayout& layout = samples_->layout;
  const dataset_file::RowTarget all = target_of(memory(), staged_count());
  const std::int64_t rows_per_part = std::max<std::int64_t>(
      1, (upload.block_bytes() - layout.end_offset(0) - 3 * 16) / std::max<std::int64_t>(1, layout.sample_bytes()));
  for (std::int64_t first = 0; first < staged_count(); first += rows_per_part) {
    const std::int64_t count = std::min(rows_per_part, staged_count() - first);
    const dataset_file::RowTarget block = target_of(upload.begin_block(), count);
    const auto rows = std::span<const std::int64_t>(batch_.staged)
                          .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    samples_->rows->read(rows, block, cancelled);
    upload.copy(all.rows + layout.rows(first), block.rows, layout.rows(count), stream);
    upload.copy(all.masks + layout.masks(first), block.masks, layout.masks(count), stream);
    upload.copy(all.labels + layout.labels(first), block.labels, layout.labels(count), stream);
    upload.finish_block(stream);
  }
  const auto number_count = static_cast<std::int64_t>(numbers_.size());
  const std::int64_t numbers_per_part = upload.block_bytes() / kNumberBytes;
  for (std::int64_t first = 0; first < number_count; first += numbers_per_part) {
    const std::int64_t count = std::min(numbers_per_part, number_count - first);
    std::byte* block = upload.begin_block();
    std::copy_n(numbers_.begin() + first, count, reinterpret_cast<std::int64_t*>(block));
    upload.copy(memory() + numbers_offset() + first * kNumberBytes, block, count * kNumberBytes, stream);
    upload.finish_block(stream);
  }
}

void StagingSlot::begin_use(StreamRef stream) const {
  if (!samples_->backend->is_host()) samples_->backend->wait(stream, copied_.get());
  samples_->backend->wait(stream, used_.get());
}

void StagingSlot::end_use(StreamRef stream) { backend::record_or_finish(*samples_->backend, used_.get(), stream); }

kernels::PackedSamples StagingSlot::samples() const {
  const dataset_file::RowTarget staged = target_of(memory(), staged_count());
  kernels::PackedSamples samples = samples_->resident_samples();
  samples.rows.staged_codes = reinterpret_cast<const std::int8_t*>(staged.rows);
  samples.rows.staged_labels = reinterpret_cast<const std::uint32_t*>(staged.labels);
  samples.masks.staged_codes = reinterpret_cast<const std::int8_t*>(staged.masks);
  return samples;
}

kernels::RowSelection StagingSlot::selection(std::int64_t epoch) const {
  const std::int64_t row_count = std::max<std::int64_t>(1, samples_->resident.count() + staged_count());
  const auto* numbers = reinterpret_cast<const std::int64_t*>(memory() + numbers_offset());
  return batch_.rows.selection(numbers, row_count, epoch);
}

}  // namespace octavo::store
