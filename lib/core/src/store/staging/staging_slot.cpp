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
                         std::int64_t most_row_bytes)
    : samples_(std::move(samples)) {
  std::int64_t bytes =
      samples_->layout.end_offset(most_row_bytes, most_rows) + most_rows * kNumbersPerSample * kNumberBytes;
  if (has_row_offsets()) bytes += (most_rows + 1) * kNumberBytes + kernels::kRowGuardBytes;
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
  const std::int64_t one_row = samples_->layout.end_offset(samples_->rows_in_source.largest_bytes(), 1);
  const std::int64_t table = (kNumbersPerSample + 2) * kNumberBytes;
  return std::make_unique<Upload>(samples_->backend,
                                  std::max(one_row + table, std::min(device_bytes(), kUploadBlockBytes)));
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
  row_offsets_.clear();
  if (has_row_offsets()) {
    row_offsets_.push_back(0);
    for (const std::int64_t row : batch_.staged) {
      row_offsets_.push_back(row_offsets_.back() + static_cast<std::uint64_t>(samples_->rows_in_source.bytes(row)));
    }
  }
  const std::vector<std::int64_t> numbers = batch_.rows.numbers();
  table_.assign(row_offsets_.begin(), row_offsets_.end());
  table_.insert(table_.end(), numbers.begin(), numbers.end());
}

std::int64_t StagingSlot::filled_bytes() const {
  return table_offset() + static_cast<std::int64_t>(table_.size()) * kNumberBytes;
}

std::int64_t StagingSlot::row_offset(std::int64_t staged) const {
  return has_row_offsets() ? static_cast<std::int64_t>(row_offsets_[static_cast<std::size_t>(staged)])
                           : staged * samples_->rows_in_source.largest_bytes();
}

/// Where samples are read to in a block for those from `first` on. `offsets` receives where their rows begin.
dataset_file::RowTarget StagingSlot::target_of(std::byte* block, std::int64_t first, std::int64_t count,
                                               std::vector<std::uint64_t>& offsets) const {
  const RowLayout& layout = samples_->layout;
  const std::int64_t begin = row_offset(first), row_bytes = row_offset(first + count) - begin;
  offsets.clear();
  for (std::int64_t i = 0; has_row_offsets() && i <= count; ++i) {
    offsets.push_back(static_cast<std::uint64_t>(row_offset(first + i) - begin));
  }
  return {block, block + layout.masks_offset(row_bytes), block + layout.labels_offset(row_bytes, count),
          offsets.empty() ? nullptr : offsets.data()};
}

/// The number of samples from `first` on that fit in a block of `bytes`; at least one.
std::int64_t StagingSlot::samples_in(std::int64_t bytes, std::int64_t first) const {
  std::int64_t count = 1;
  while (first + count < staged_count() &&
         samples_->layout.end_offset(row_offset(first + count + 1) - row_offset(first), count + 1) <= bytes) {
    ++count;
  }
  return count;
}

/// Reads everything, in device layout.
void StagingSlot::read_all(std::byte* to, const std::atomic<bool>& cancelled) const {
  std::vector<std::uint64_t> offsets;
  samples_->rows->read(batch_.staged, target_of(to, 0, staged_count(), offsets), cancelled);
  std::copy(table_.begin(), table_.end(), reinterpret_cast<std::int64_t*>(to + table_offset()));
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
  std::vector<std::uint64_t> offsets;
  const dataset_file::RowTarget all = target_of(memory(), 0, staged_count(), offsets);
  for (std::int64_t first = 0; first < staged_count();) {
    const std::int64_t count = samples_in(upload.block_bytes(), first);
    const dataset_file::RowTarget block = target_of(upload.begin_block(), first, count, offsets);
    const auto rows = std::span<const std::int64_t>(batch_.staged)
                          .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    samples_->rows->read(rows, block, cancelled);
    upload.copy(all.rows + row_offset(first), block.rows, row_offset(first + count) - row_offset(first), stream);
    upload.copy(all.masks + layout.masks(first), block.masks, layout.masks(count), stream);
    upload.copy(all.labels + layout.labels(first), block.labels, layout.labels(count), stream);
    upload.finish_block(stream);
    first += count;
  }
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
  std::vector<std::uint64_t> offsets;
  const dataset_file::RowTarget staged = target_of(memory(), 0, staged_count(), offsets);
  kernels::PackedSamples samples = samples_->resident_samples();
  samples.rows.staged_codes = reinterpret_cast<const std::int8_t*>(staged.rows);
  samples.rows.staged_labels = reinterpret_cast<const std::uint32_t*>(staged.labels);
  if (has_row_offsets()) {
    samples.rows.staged_offsets = reinterpret_cast<const std::uint64_t*>(memory() + table_offset());
  }
  samples.masks.staged_codes = reinterpret_cast<const std::int8_t*>(staged.masks);
  return samples;
}

kernels::RowSelection StagingSlot::selection(std::int64_t epoch) const {
  const std::int64_t row_count = std::max<std::int64_t>(1, samples_->resident.count() + staged_count());
  const auto* numbers = reinterpret_cast<const std::int64_t*>(memory() + table_offset()) + row_offsets_.size();
  return batch_.rows.selection(numbers, row_count, epoch);
}

}  // namespace octavo::store
