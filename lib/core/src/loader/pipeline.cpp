#include "loader/pipeline.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <octavo/errors.hpp>

#include "backend/capture.hpp"
#include "loader/loader_identity.hpp"

namespace octavo::loader {

Pipeline::Pipeline(std::shared_ptr<BatchServer> server)
    : server_(std::move(server)), options_(server_->order().options()), epoch_batches_(batches_per_epoch(0)) {
  make_slots(server_->depth() > 0 ? 0 : options_.prefetch);
  prefetches_ = depth() > 0;
  if (prefetches_) stream_ = backend::OwnedStream(server_->backend());
  options_.prefetch = std::max(depth(), server_->depth());
}

void Pipeline::make_slots(int depth) {
  const auto& backend = server_->backend();
  const std::int64_t count = server_->order().largest_count();
  const std::int64_t image_bytes = count * server_->shape().bytes();
  const std::int64_t label_bytes = count * server_->labels().bytes_per_sample();
  const std::int64_t mask_bytes =
      server_->has_masks() ? count * server_->shape().mask_values() * bytes_of(options_.spec.mask_dtype) : 0;
  for (int i = 0; i <= depth; ++i) {
    try {
      Slot slot;
      slot.images = backend::DeviceBuffer(backend, static_cast<std::size_t>(image_bytes), "a batch of images");
      slot.labels = backend::DeviceBuffer(backend, static_cast<std::size_t>(label_bytes), "the labels of a batch");
      slot.masks = backend::DeviceBuffer(backend, static_cast<std::size_t>(mask_bytes), "the masks of a batch");
      slot.filled = backend::OwnedEvent(backend);
      slot.free = backend::OwnedEvent(backend);
      slots_.push_back(std::move(slot));
    } catch (const OutOfMemory&) {
      if (i == 0) throw;
      return;  // prefetch fewer batches
    }
  }
}

Pipeline::~Pipeline() {
  // Prefetched batches may still be being written, and consumers may still be reading theirs.
  if (prefetches_) backend::finish(*server_->backend(), StreamRef(stream_.get()));
  backend::finish(*server_->backend(), consumer_);
}

std::int64_t Pipeline::device_bytes() const {
  std::int64_t bytes = server_->device_bytes();
  for (const Slot& slot : slots_) {
    bytes += static_cast<std::int64_t>(slot.images.bytes() + slot.labels.bytes() + slot.masks.bytes());
  }
  return bytes;
}

void Pipeline::begin(std::int64_t epoch, StreamRef consumer) {
  if (epoch < 0) throw InvalidArgument("begin an epoch: its number is negative; epochs are numbered from 0");
  backend::refuse_capture(*server_->backend(), consumer, "begin an epoch");
  // Batches of an abandoned epoch may still be being written; their slots are refilled in stream order.
  if (prefetches_ && is_running_ && !is_done()) server_->backend()->record(slot_of(step_).free.get(), consumer_);
  // Without prefetch, work that still reads the single buffer on another stream has to finish first.
  if (!prefetches_ && consumer.handle() != consumer_.handle()) server_->backend()->synchronize(consumer_);
  step_ = epoch == epoch_ && !is_running_ ? restored_step_ : 0;
  restored_step_ = 0;
  epoch_ = epoch;
  epoch_batches_ = batches_per_epoch(epoch);
  prepared_end_ = step_;
  consumer_ = consumer;
  is_running_ = true;
  if (!is_done()) show_current();
}

void Pipeline::advance() {
  backend::refuse_capture(*server_->backend(), consumer_, "advance to the next batch");
  if (is_shown_) {
    if (prefetches_) server_->backend()->record(slot_of(step_).free.get(), consumer_);
    ++step_;
  }
  if (!is_done()) show_current();
}

void Pipeline::show_current() {
  is_shown_ = false;
  // The current batch and the prefetched ones. The slot of the previous batch has been released.
  prepare_until(step_ + 1 + depth());
  Slot& slot = slot_of(step_);
  if (prefetches_) server_->backend()->wait(consumer_, slot.filled.get());
  const std::int64_t count = server_->order().part(epoch_, step_).count();
  const BatchShape shape = server_->shape();
  const Device device = server_->backend()->device();
  current_.epoch_ = epoch_;
  current_.step_ = step_;
  current_.images_ = {slot.images.data(), shape.dtype, shape.axes(count), device};
  const LabelLayout labels = server_->labels();
  const DType label_type = labels.kind == LabelKind::target ? DType::float32 : DType::int32;
  current_.labels_ = {slot.labels.data(), label_type, label_axes(labels, count), device};
  if (server_->has_masks()) {
    current_.masks_ = {slot.masks.data(), options_.spec.mask_dtype, shape.mask_axes(count), device};
  }
  is_shown_ = true;
}

void Pipeline::prepare_until(std::int64_t end_step) {
  for (end_step = std::min(end_step, epoch_batches_); prepared_end_ < end_step; ++prepared_end_) prepare(prepared_end_);
}

void Pipeline::prepare(std::int64_t step) {
  Slot& slot = slot_of(step);
  const StreamRef stream = prefetches_ ? StreamRef(stream_.get()) : consumer_;
  backend::Backend& backend = *server_->backend();
  if (prefetches_) backend.wait(stream, slot.free.get());
  server_->serve(epoch_, step, {slot.images.data(), {slot.labels.data()}, slot.masks.data()}, stream);
  if (prefetches_) backend.record(slot.filled.get(), stream);
}

LoaderState Pipeline::state() const {
  const std::int64_t step = !is_running_ ? restored_step_ : is_shown_ ? step_ + 1 : step_;
  return step < epoch_batches_ ? server_->state(epoch_, step) : server_->state(epoch_ + 1, 0);
}

void Pipeline::restore(const LoaderState& state) {
  const LoaderPlace place = checked_place(state, this->state());
  const auto batch = server_->order().batch_at(place);
  if (!batch) {
    throw InvalidArgument("restore a loader: no batch begins after " + std::to_string(place.samples) +
                          " samples of epoch " + std::to_string(place.epoch) +
                          "; set LoaderOptions::origin to LoaderState::place()");
  }
  if (prefetches_ && is_running_ && !is_done()) server_->backend()->record(slot_of(step_).free.get(), consumer_);
  epoch_ = batch->epoch;
  step_ = epoch_batches_ = batches_per_epoch(epoch_);
  restored_step_ = batch->step;
  is_running_ = false;
}

}  // namespace octavo::loader
