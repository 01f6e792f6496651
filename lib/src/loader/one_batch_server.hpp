// The first batches again and again, so that loading costs nothing: what the cost of a loader is measured against.
#pragma once

#include <set>
#include <utility>

#include "loader/packed_server.hpp"

namespace octavo::loader {

/// Each buffer is filled when it is first asked for, and left as it is from then on: of a loader without prefetch,
/// which has one, with the first batch of the epoch that it begins with. Not thread-safe.
class OneBatchServer final : public BatchServer {
 public:
  explicit OneBatchServer(PackedServer packed) : packed_(std::move(packed)) {}

  const std::shared_ptr<backend::Backend>& backend() const override { return packed_.backend(); }
  std::int64_t sample_count() const override { return packed_.sample_count(); }
  SampleShape shape() const override { return packed_.shape(); }
  LabelLayout labels() const override { return packed_.labels(); }
  DType dtype() const override { return packed_.dtype(); }
  Layout layout() const override { return packed_.layout(); }
  bool depends_on_batch() const override { return packed_.depends_on_batch(); }
  std::int64_t device_bytes() const override { return packed_.device_bytes(); }
  void serve(const kernels::RowSelection& selection, std::int64_t batch_count, void* images, void* labels,
             StreamRef stream) const override {
    if (filled_.contains(images)) return;
    packed_.serve(selection, batch_count, images, labels, stream);
    filled_.insert(images);
  }

 private:
  PackedServer packed_;
  mutable std::set<void*> filled_;
};

}  // namespace octavo::loader
