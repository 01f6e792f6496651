#include "store/staging/staging_slot.hpp"

#include <algorithm>
#include <utility>

namespace octavo::store {
namespace {

constexpr auto kNumberBytes = static_cast<std::int64_t>(sizeof(std::int64_t));
/// Of each sample of the batch: its row number, its index in the split, and its epoch.
constexpr std::int64_t kNumbersPerSample = 3;

}  // namespace

StagingSlot::StagingSlot(std::shared_ptr<const StoredSamples> samples, std::int64_t most_rows,
                         std::int64_t most_row_bytes, std::int64_t most_mask_bytes)
    : samples_(std::move(samples)) {
  std::int64_t bytes = samples_->layout.end_offset(most_row_bytes, most_mask_bytes, most_rows) +
                       most_rows * kNumbersPerSample * kNumberBytes;
  if (is_coded()) bytes += 2 * (most_rows + 1) * kNumberBytes + kernels::kRowGuardBytes;
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
  const std::int64_t one_row = samples_->layout.end_offset(samples_->rows_in_source.largest_bytes(),
                                                           samples_->masks_in_source.largest_bytes(), 1);
  const std::int64_t table = (kNumbersPerSample + 4) * kNumberBytes;
  return std::make_unique<Upload>(samples_->backend,
                                  std::max(one_row + table, std::min(device_bytes(), kUploadBlockBytes)));
}

void StagingSlot::fill(const BatchRows& batch, Upload* upload, StreamRef stream, const std::atomic<bool>& cancelled) {
  backend::Backend& backend = *samples_->backend;
  batch_count_ = 0;
  set_chosen(place(batch, samples_->resident));
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

void StagingSlot::choose(const BatchRows& batch) {
  batch_count_ = 0;
  set_chosen(place_in_order(batch, samples_->resident));
}

void StagingSlot::fill_chosen(const Write& write, Upload* upload, StreamRef stream) {
  backend::Backend& backend = *samples_->backend;
  const dataset_file::RowTarget target = target_of(memory(), 0, staged_count()).places;
  if (backend.is_host()) {
    backend.synchronize_event(used_.get());
    write(target);
    copy_table(memory() + table_offset());
  } else {
    backend.wait(stream, used_.get());
    write(target);
    upload_table(*upload, stream);
    backend::record_or_finish(backend, copied_.get(), stream);
  }
  batch_count_ = static_cast<std::int64_t>(batch_.rows.rows.size());
}

void StagingSlot::set_chosen(PlacedBatch batch) {
  batch_ = std::move(batch);
  rows_ = samples_->rows_in_source.selected_rows(batch_.staged);
  masks_ = samples_->masks_in_source.selected_rows(batch_.staged);
  const std::vector<std::int64_t> numbers = batch_.rows.numbers();
  table_.assign(rows_.table().begin(), rows_.table().end());
  table_.insert(table_.end(), masks_.table().begin(), masks_.table().end());
  table_.insert(table_.end(), numbers.begin(), numbers.end());
}

std::int64_t StagingSlot::filled_bytes() const {
  return table_offset() + static_cast<std::int64_t>(table_.size()) * kNumberBytes;
}

/// Where the samples from `first` on are read to in a block for `count` of them.
StagedTarget StagingSlot::target_of(std::byte* block, std::int64_t first, std::int64_t count) const {
  StagedTarget target;
  target.row_offsets = rows_.offsets_from(first, count);
  target.mask_offsets = masks_.offsets_from(first, count);
  const auto table = [](const std::vector<std::uint64_t>& offsets) {
    return offsets.empty() ? nullptr : offsets.data();
  };
  const std::int64_t row_bytes = rows_.bytes(first, count), mask_bytes = masks_.bytes(first, count);
  target.places = {block, block + RowLayout::masks_offset(row_bytes),
                   block + RowLayout::labels_offset(row_bytes, mask_bytes), table(target.row_offsets),
                   table(target.mask_offsets)};
  return target;
}

/// The number of samples from `first` on that fit in a block of `bytes`; at least one.
std::int64_t StagingSlot::samples_in(std::int64_t bytes, std::int64_t first) const {
  std::int64_t count = 1;
  while (first + count < staged_count() &&
         samples_->layout.end_offset(rows_.bytes(first, count + 1), masks_.bytes(first, count + 1), count + 1) <=
             bytes) {
    ++count;
  }
  return count;
}

/// Reads everything, in device layout.
void StagingSlot::read_all(std::byte* to, const std::atomic<bool>& cancelled) const {
  samples_->rows->read(batch_.staged, target_of(to, 0, staged_count()).places, cancelled);
  copy_table(to + table_offset());
}

void StagingSlot::copy_table(std::byte* to) const {
  std::copy(table_.begin(), table_.end(), reinterpret_cast<std::int64_t*>(to));
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
  const StagedTarget all = target_of(memory(), 0, staged_count());
  for (std::int64_t first = 0; first < staged_count();) {
    const std::int64_t count = samples_in(upload.block_bytes(), first);
    const StagedTarget block = target_of(upload.begin_block(), first, count);
    const auto rows = std::span<const std::int64_t>(batch_.staged)
                          .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    samples_->rows->read(rows, block.places, cancelled);
    const dataset_file::RowTarget &from = block.places, &to = all.places;
    upload.copy(to.rows + rows_[first], from.rows, rows_.bytes(first, count), stream);
    upload.copy(to.masks + masks_[first], from.masks, masks_.bytes(first, count), stream);
    upload.copy(to.labels + layout.labels(first), from.labels, layout.labels(count), stream);
    upload.finish_block(stream);
    first += count;
  }
  upload_table(upload, stream);
}

void StagingSlot::upload_table(Upload& upload, StreamRef stream) const {
  const auto number_count = static_cast<std::int64_t>(table_.size());
  const std::int64_t numbers_per_part = upload.block_bytes() / kNumberBytes;
  for (std::int64_t first = 0; first < number_count; first += numbers_per_part) {
    const std::int64_t count = std::min(numbers_per_part, number_count - first);
    std::byte* block = upload.begin_block();
    std::copy_n(table_.begin() + first, count, reinterpret_cast<std::int64_t*>(block));
    upload.copy(memory() + table_offset() + first * kNumberBytes, block, count * kNumberBytes, stream);
    upload.finish_block(stream);
  }
}

void StagingSlot::begin_use(StreamRef stream) const {
  if (!samples_->backend->is_host()) samples_->backend->wait(stream, copied_.get());
  samples_->backend->wait(stream, used_.get());
}

void StagingSlot::end_use(StreamRef stream) { backend::record_or_finish(*samples_->backend, used_.get(), stream); }

kernels::PackedSamples StagingSlot::samples() const {
  const dataset_file::RowTarget staged = target_of(memory(), 0, staged_count()).places;
  kernels::PackedSamples samples = samples_->resident_samples();
  samples.rows.staged_codes = reinterpret_cast<const std::int8_t*>(staged.rows);
  samples.rows.staged_labels = reinterpret_cast<const std::uint32_t*>(staged.labels);
  samples.masks.staged_codes = reinterpret_cast<const std::int8_t*>(staged.masks);
  const auto* const tables = reinterpret_cast<const std::uint64_t*>(memory() + table_offset());
  if (!rows_.have_one_size()) samples.rows.staged_offsets = tables;
  if (!masks_.have_one_size()) samples.masks.staged_offsets = tables + rows_.table().size();
  return samples;
}

kernels::RowSelection StagingSlot::selection(std::int64_t epoch) const {
  const std::int64_t row_count = std::max<std::int64_t>(1, samples_->resident.count() + staged_count());
  const auto* numbers =
      reinterpret_cast<const std::int64_t*>(memory() + table_offset()) + rows_.table().size() + masks_.table().size();
  return batch_.rows.selection(numbers, row_count, epoch);
}

}  // namespace octavo::store
