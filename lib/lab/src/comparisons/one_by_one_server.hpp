// Makes batches like a plain data loader, for comparison with Octavo.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <octavo/dataset.hpp>

#include "loader/batch_server.hpp"
#include "store/spec/folded_spec.hpp"
#include "store/stored_samples.hpp"

namespace octavo::comparisons {

/// Reads each sample of a batch from the file, decodes it to float32 on the calling thread, and copies the batch to the
/// device. Float32, [B,C,H,W], the same bits as every other way. Not thread-safe.
class OneByOneServer final : public loader::BatchServer {
 public:
  /// Throws InvalidArgument as Loader does, and for batches with another type or layout or centered per batch.
  OneByOneServer(const Split& split, std::shared_ptr<const store::StoredSamples> samples, LoaderOptions options);

  const std::shared_ptr<backend::Backend>& backend() const override { return samples_->backend; }
  const loader::BatchOrder& order() const override { return order_; }
  BatchShape shape() const override { return batch_shape(order_.options().spec, samples_->shape); }
  LabelLayout labels() const override { return samples_->labels; }
  std::int64_t device_bytes() const override { return 0; }
  void serve(std::int64_t epoch, std::int64_t step, const store::BatchTarget& to, StreamRef stream) const override;

 private:
  void decode(const std::vector<std::int8_t>& codes, float* out) const;

  Split split_;
  std::shared_ptr<const store::StoredSamples> samples_;
  loader::BatchOrder order_;
  store::FoldedSpec folded_;
};

}  // namespace octavo::comparisons
