// Batches decoded from packed samples.
#pragma once

#include <memory>

#include "loader/batch_server.hpp"
#include "store/prepared_maps.hpp"

namespace octavo::loader {

class PackedServer final : public BatchServer {
 public:
  PackedServer(std::shared_ptr<const store::ResidentSamples> samples, std::shared_ptr<const store::PreparedMaps> maps)
      : samples_(std::move(samples)), maps_(std::move(maps)) {}

  const std::shared_ptr<backend::Backend>& backend() const override { return samples_->backend; }
  std::int64_t sample_count() const override { return samples_->sample_count; }
  SampleShape shape() const override { return samples_->shape; }
  LabelLayout labels() const override { return samples_->labels; }
  DType dtype() const override { return maps_->spec().dtype; }
  Layout layout() const override { return maps_->spec().layout; }
  bool depends_on_batch() const override { return maps_->spec().centre == Centre::batch; }
  std::int64_t device_bytes() const override { return maps_->device_bytes(); }
  void serve(const kernels::RowSelection& selection, std::int64_t batch_count, void* images, void* labels,
             StreamRef stream) const override {
    maps_->gather(selection, batch_count, images, {labels}, stream);
  }

 private:
  std::shared_ptr<const store::ResidentSamples> samples_;
  std::shared_ptr<const store::PreparedMaps> maps_;
};

}  // namespace octavo::loader
