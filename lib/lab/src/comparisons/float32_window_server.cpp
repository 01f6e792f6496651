#include "comparisons/float32_window_server.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <octavo/errors.hpp>

#include "loader/options_check.hpp"
#include "store/staging/lent_rows.hpp"

namespace octavo::comparisons {

Float32WindowServer::Float32WindowServer(std::shared_ptr<const store::StoredSamples> samples, LoaderOptions options)
    : samples_(std::move(samples)),
      order_(loader::checked(std::move(options), *samples_), samples_->sample_count),
      maps_(samples_, order_.options().spec),
      window_samples_(order_.options().shuffle.window_samples()) {
  if (is_augmented(order_.options().spec) || order_.options().shuffle.kind() != Shuffle::Kind::windows ||
      order_.options().spec.dtype != DType::float32 || order_.options().spec.center == Center::batch) {
    throw InvalidArgument(
        "serve windows of float32: expected the order windows, no centering per batch and no augmentation");
  }
  if (order_.largest_count() > window_samples_) {
    throw InvalidArgument("serve windows of float32: a batch is larger than a window; use smaller batches");
  }
  if (!samples_->is_resident()) {
    slot_ = std::make_unique<store::StagingSlot>(samples_, window_samples_);
    upload_ = slot_->make_upload();
  }
  for (Window& window : windows_) {
    window.values = backend::DeviceBuffer(
        backend(), static_cast<std::size_t>(window_samples_ * shape().values()) * sizeof(float), "a window of float32");
    window.labels = backend::DeviceBuffer(
        backend(), static_cast<std::size_t>(window_samples_ * labels().bytes_per_sample()), "its labels");
  }
}

std::int64_t Float32WindowServer::device_bytes() const {
  std::int64_t bytes = maps_.device_bytes() + (slot_ ? slot_->device_bytes() : 0);
  for (const Window& window : windows_) {
    bytes += static_cast<std::int64_t>(window.values.bytes() + window.labels.bytes());
  }
  return bytes;
}

void Float32WindowServer::serve(std::int64_t epoch, std::int64_t step, const store::BatchTarget& to,
                                StreamRef stream) const {
  const loader::BatchPositions positions = order_.part(epoch, step).own;
  const std::vector<std::int64_t> rows = order_.indices(epoch, step);
  const std::int64_t values = shape().values(), width = this->labels().width;
  // A batch may begin in one window and end in the next.
  for (std::int64_t done = 0; done < positions.count;) {
    const std::int64_t position = (positions.first + done) / window_samples_;
    const std::int64_t part =
        std::min(positions.count - done, (position + 1) * window_samples_ - positions.first - done);
    const Window& window = window_for(epoch, position, stream);
    std::vector<std::int64_t> inside;
    for (std::int64_t i = done; i < done + part; ++i) {
      inside.push_back(rows[static_cast<std::size_t>(i)] - window.first_row);
    }
    const store::LentRows lent(*backend(), inside, stream);
    backend()->row_copy({window.values.as<float>(), values, kernels::given_rows(lent.rows(), window_samples_), part,
                         static_cast<float*>(to.images) + done * values, window.labels.as<std::uint32_t>(), width,
                         width == 0 ? nullptr : static_cast<std::uint32_t*>(to.labels.data) + done * width},
                        stream);
    done += part;
  }
}

const Float32WindowServer::Window& Float32WindowServer::window_for(std::int64_t epoch, std::int64_t position,
                                                                   StreamRef stream) const {
  Window& window = windows_[position % 2];
  if (window.epoch != epoch || window.position != position) fill(window, epoch, position, stream);
  return window;
}

void Float32WindowServer::fill(Window& window, std::int64_t epoch, std::int64_t position, StreamRef stream) const {
  window.epoch = -1;
  window.first_row = order_.window_at(epoch, position, window_samples_) * window_samples_;
  const std::int64_t count = std::min(window_samples_, samples_->sample_count - window.first_row);
  void* values = window.values.data();
  void* labels = window.labels.data();
  if (samples_->is_resident()) {
    maps_.gather(samples_->resident_samples(), kernels::rows_from(window.first_row, samples_->sample_count), count,
                 {values, {labels}}, stream);
  } else {
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < count; ++i) rows.push_back(window.first_row + i);
    slot_->fill({rows, {}, {}}, upload_.get(), stream, false);
    slot_->use(stream, [&] {
      maps_.gather(slot_->samples(), slot_->selection(epoch), count, {values, {labels}}, stream);
    });
  }
  window.epoch = epoch;
  window.position = position;
}

}  // namespace octavo::comparisons
