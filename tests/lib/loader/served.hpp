// Records the batches of a loop over a loader.
#pragma once

#include <octavo/loader.hpp>

#include <cstdint>
#include <vector>

#include "device_tensor.hpp"

namespace octavo::test {

/// The values, labels and masks of all batches of a loop, in order.
struct Served {
  std::vector<std::uint32_t> values;
  std::vector<std::int32_t> labels;
  std::vector<std::uint8_t> masks;
  std::vector<std::int64_t> sizes;
  bool operator==(const Served&) const = default;

  void add(const Batch& batch) {
    const auto images = DeviceTensor::read<std::uint32_t>(batch.images());
    const auto batch_labels = DeviceTensor::read<std::int32_t>(batch.labels());
    values.insert(values.end(), images.begin(), images.end());
    labels.insert(labels.end(), batch_labels.begin(), batch_labels.end());
    sizes.push_back(batch.size());
    if (batch.masks().data == nullptr) return;
    const auto batch_masks = DeviceTensor::read<std::uint8_t>(batch.masks());
    masks.insert(masks.end(), batch_masks.begin(), batch_masks.end());
  }
};

inline Served serve(const Store& store, const LoaderOptions& options, std::int64_t epochs = 2) {
  Loader loader(store, options);
  Served served;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    for (const Batch& batch : loader.epoch(epoch)) served.add(batch);
  }
  return served;
}

}  // namespace octavo::test
