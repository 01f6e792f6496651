#include "store/staging_slot.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace octavo::store {
namespace {

/// What follows begins where numbers of any type may.
std::int64_t aligned(std::int64_t offset) { return (offset + 15) / 16 * 16; }

}  // namespace

StagingSlot::StagingSlot(std::shared_ptr<const StoredSamples> samples, std::int64_t most_rows)
    : samples_(std::move(samples)) {
  const std::int64_t bytes = aligned(most_rows * samples_->row_stride_bytes) +
                             aligned(most_rows * samples_->label_bytes()) +
                             most_rows * static_cast<std::int64_t>(sizeof(std::int64_t));
  const auto& backend = samples_->backend;
  on_device_ = backend::DeviceBuffer(backend, static_cast<std::size_t>(bytes), "the samples of a batch");
  if (!backend->is_host()) on_host_ = backend::PinnedBuffer(backend, static_cast<std::size_t>(bytes));
  copied_ = backend::OwnedEvent(backend);
  used_ = backend::OwnedEvent(backend);
}

std::byte* StagingSlot::host() const {
  return samples_->backend->is_host() ? on_device_.as<std::byte>() : on_host_.data();
}
std::byte* StagingSlot::device() const { return on_device_.as<std::byte>(); }

void StagingSlot::fill(std::span<const std::int64_t> rows, StreamRef stream, const std::atomic<bool>& cancelled) {
  backend::Backend& backend = *samples_->backend;
  batch_count_ = 0;
  if (backend.is_host()) {
    backend.synchronize_event(used_.get());
  } else {
    backend.synchronize_event(copied_.get());
    backend.wait(stream, used_.get());
  }

  std::vector<std::int64_t> staged, numbers;
  for (const std::int64_t row : rows) {
    const bool is_resident = row < samples_->resident_count;
    numbers.push_back(is_resident ? row : samples_->resident_count + static_cast<std::int64_t>(staged.size()));
    if (!is_resident) staged.push_back(row);
  }
  staged_count_ = static_cast<std::int64_t>(staged.size());
  labels_offset_ = aligned(staged_count_ * samples_->row_stride_bytes);
  numbers_offset_ = labels_offset_ + aligned(staged_count_ * samples_->label_bytes());
  samples_->rows->read(staged, {host(), samples_->row_stride_bytes, host() + labels_offset_}, cancelled);
  std::copy(numbers.begin(), numbers.end(), reinterpret_cast<std::int64_t*>(host() + numbers_offset_));
  if (!backend.is_host()) {
    const auto bytes = static_cast<std::size_t>(numbers_offset_) + numbers.size() * sizeof(std::int64_t);
    backend.copy_rows_to_device(device(), bytes, host(), bytes, 1, stream);
    backend.record(copied_.get(), stream);
  }
  batch_count_ = static_cast<std::int64_t>(rows.size());
}

void StagingSlot::begin_use(StreamRef stream) const {
  if (!samples_->backend->is_host()) samples_->backend->wait(stream, copied_.get());
  samples_->backend->wait(stream, used_.get());
}

void StagingSlot::end_use(StreamRef stream) { samples_->backend->record(used_.get(), stream); }

kernels::PackedRows StagingSlot::rows() const {
  kernels::PackedRows rows = samples_->resident_rows();
  rows.staged_codes = reinterpret_cast<const std::int8_t*>(device());
  rows.staged_labels = reinterpret_cast<const std::uint32_t*>(device() + labels_offset_);
  return rows;
}

kernels::RowSelection StagingSlot::selection() const {
  const std::int64_t row_count = std::max<std::int64_t>(1, samples_->resident_count + staged_count_);
  return {reinterpret_cast<const std::int64_t*>(device() + numbers_offset_),
          kernels::make_order_key(row_count, 0, 0, false), 0};
}

}  // namespace octavo::store
