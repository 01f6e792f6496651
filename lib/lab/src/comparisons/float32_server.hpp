// Serves batches from samples that were decoded to float32 beforehand, for comparison with Octavo.
#pragma once

#include <memory>

#include "loader/packed_server.hpp"

namespace octavo::comparisons {

/// Holds every sample as the float32 values that `packed` serves: four bytes per value.
class Float32Server final : public loader::BatchServer {
 public:
  /// Decodes all samples of `packed`, which must be resident and have float32 batches, and serves its order. The packed
  /// samples are not needed afterwards.
  explicit Float32Server(const loader::PackedServer& packed);

  const std::shared_ptr<backend::Backend>& backend() const override { return backend_; }
  const loader::BatchOrder& order() const override { return order_; }
  BatchShape shape() const override { return shape_; }
  LabelLayout labels() const override { return labels_; }
  std::int64_t device_bytes() const override { return 0; }
  /// Bytes of the decoded samples and their labels on the device.
  std::int64_t resident_bytes() const { return static_cast<std::int64_t>(values_.bytes() + label_words_.bytes()); }
  void serve(std::int64_t epoch, std::int64_t step, const store::BatchTarget& to, StreamRef stream) const override;

 private:
  std::shared_ptr<backend::Backend> backend_;
  loader::BatchOrder order_;
  BatchShape shape_;
  LabelLayout labels_;
  backend::DeviceBuffer values_;       ///< [N,C*H*W]
  backend::DeviceBuffer label_words_;  ///< [N,K]
};

}  // namespace octavo::comparisons
