// What a loop over a loader saw.
#pragma once

#include <octavo/loader.hpp>

#include <cstdint>
#include <vector>

#include "device_tensor.hpp"

namespace octavo::test {

/// What a loop saw, a batch after the other.
struct Served {
  std::vector<std::vector<std::uint32_t>> values;
  std::vector<std::vector<std::int32_t>> labels;
  bool operator==(const Served&) const = default;

  void add(const Batch& batch) {
    values.push_back(DeviceTensor::read<std::uint32_t>(batch.images()));
    labels.push_back(DeviceTensor::read<std::int32_t>(batch.labels()));
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
