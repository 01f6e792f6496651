// Serves the first batches in every step, so that loading costs nothing: the baseline for the cost of a loader.
#pragma once

#include <memory>
#include <set>
#include <utility>

#include "loader/packed_server.hpp"

namespace octavo::comparisons {

/// Fills each buffer once, when it is first requested. A loader without prefetch has one buffer, which keeps the first
/// batch of its first epoch. Not thread-safe.
class OneBatchServer final : public loader::BatchServer {
 public:
  explicit OneBatchServer(std::shared_ptr<const loader::PackedServer> packed) : packed_(std::move(packed)) {}

  const std::shared_ptr<backend::Backend>& backend() const override { return packed_->backend(); }
  const loader::BatchOrder& order() const override { return packed_->order(); }
  BatchShape shape() const override { return packed_->shape(); }
  LabelLayout labels() const override { return packed_->labels(); }
  bool depends_on_batch() const override { return packed_->depends_on_batch(); }
  std::int64_t device_bytes() const override { return packed_->device_bytes(); }
  void serve(std::int64_t epoch, std::int64_t step, const store::BatchTarget& to, StreamRef stream) const override {
    if (filled_.contains(to.images)) return;
    packed_->serve(epoch, step, to, stream);
    filled_.insert(to.images);
  }

 private:
  std::shared_ptr<const loader::PackedServer> packed_;
  mutable std::set<void*> filled_;
};

}  // namespace octavo::comparisons
