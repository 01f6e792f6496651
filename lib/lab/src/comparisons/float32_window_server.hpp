// Serves batches from windows that are decoded to float32 when the order reaches them, for comparison with Octavo.
#pragma once

#include <memory>

#include "loader/batch_server.hpp"
#include "store/spec/prepared_maps.hpp"
#include "store/staging/staging_slot.hpp"

namespace octavo::comparisons {

/// The classic macro-batch: four bytes per value, uploaded to the device window by window and sliced there. Serves the
/// order Shuffle::windows. Not thread-safe.
class Float32WindowServer final : public loader::BatchServer {
 public:
  /// The order determines the window size. `samples` need not be resident. Throws InvalidArgument as Loader does, for
  /// another order or type, and for batches larger than a window.
  Float32WindowServer(std::shared_ptr<const store::StoredSamples> samples, LoaderOptions options);

  const std::shared_ptr<backend::Backend>& backend() const override { return samples_->backend; }
  const loader::BatchOrder& order() const override { return order_; }
  BatchShape shape() const override { return batch_shape(order_.options().spec, samples_->shape); }
  LabelLayout labels() const override { return samples_->labels; }
  std::int64_t device_bytes() const override;
  void serve(std::int64_t epoch, std::int64_t step, const store::BatchTarget& to, StreamRef stream) const override;

 private:
  struct Window {
    std::int64_t epoch = -1;
    std::int64_t position = -1;
    std::int64_t first_row = 0;
    backend::DeviceBuffer values;  ///< [M,C*H*W]
    backend::DeviceBuffer labels;  ///< [M,K]
  };

  const Window& window_for(std::int64_t epoch, std::int64_t position, StreamRef stream) const;
  void fill(Window& window, std::int64_t epoch, std::int64_t position, StreamRef stream) const;

  std::shared_ptr<const store::StoredSamples> samples_;
  loader::BatchOrder order_;
  store::PreparedMaps maps_;
  std::int64_t window_samples_;
  mutable Window windows_[2];                 ///< window number i is in element i % 2
  std::unique_ptr<store::StagingSlot> slot_;  ///< for windows that are not resident; else null
  std::unique_ptr<store::Upload> upload_;     ///< for windows that are not resident; else null
};

}  // namespace octavo::comparisons
