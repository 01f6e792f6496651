// The samples of one split in one of the residencies, and the loader that makes batches from them.
#pragma once

#include <memory>
#include <string>

#include <octavo/loader.hpp>
#include <octavo/train.hpp>

#include "backend/backend.hpp"

namespace octavo::training {

class Feed {
 public:
  /// `device` is that of the samples; options.device is ignored. `shuffled`: use a new order in each epoch. Throws what
  /// Store::load throws.
  Feed(const Split& split, Device device, const TrainOptions& options, bool shuffled);

  Loader& loader() { return *loader_; }
  const std::shared_ptr<backend::Backend>& backend() const { return backend_; }
  std::int64_t sample_count() const { return sample_count_; }
  /// The digest of the samples of `epoch`, of their order and of their augmentation.
  std::string fingerprint(std::int64_t epoch) const;
  /// Bytes of the resident samples on the device.
  std::int64_t sample_bytes() const { return sample_bytes_; }
  /// Bytes of the batch buffers on the device.
  std::int64_t batch_bytes() const { return loader_->device_bytes(); }

 private:
  void keep_packed(const Store& store, const LoaderOptions& options);
  void keep_float32(const Store& store, const LoaderOptions& options);
  void keep_one_batch(const Store& store, const LoaderOptions& options);

  std::shared_ptr<backend::Backend> backend_;
  std::int64_t sample_count_;
  SampleShape shape_;
  std::int64_t sample_bytes_ = 0;
  std::unique_ptr<Loader> loader_;  ///< holds the samples
};

}  // namespace octavo::training
