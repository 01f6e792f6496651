// A folded spec on a device, and the kernel arguments made from it.
#pragma once

#include <memory>
#include <mutex>

#include <octavo/batch_spec.hpp>
#include <octavo/tensor.hpp>

#include "backend/backend.hpp"
#include "backend/in_flight.hpp"
#include "store/folded_spec.hpp"
#include "store/stored_samples.hpp"

namespace octavo::store {

/// Where labels go, and as what; no memory: nowhere.
struct LabelTarget {
  void* data = nullptr;
  kernels::LabelType type = kernels::LabelType::words;
};

class PreparedMaps {
 public:
  PreparedMaps(std::shared_ptr<const StoredSamples> samples, const BatchSpec& spec);

  const BatchSpec& spec() const { return spec_; }
  std::int64_t device_bytes() const;

  /// Enqueues the gather of `batch_count` samples, selected from `packed`, to `images` and `labels`; afterwards the
  /// selection's cursor has moved on by `cursor_batches`. From several threads and on several streams at the same time,
  /// if need be one after another.
  void gather(const kernels::PackedRows& packed, const kernels::RowSelection& selection, std::int64_t batch_count,
              void* images, LabelTarget labels, StreamRef stream, std::int64_t cursor_batches = 0) const;

 private:
  void make_batch_maps(const kernels::PackedRows& packed, const kernels::RowSelection& selection,
                       std::int64_t batch_count, StreamRef stream) const;

  std::shared_ptr<const StoredSamples> samples_;
  BatchSpec spec_;
  bool uniform_map_ = false;
  backend::DeviceBuffer maps_;          ///< [C] or [1] Affine; rewritten for each batch if it centers on itself
  backend::DeviceBuffer pixel_shifts_;  ///< C*P float in the order of the output, or empty
  backend::DeviceBuffer quantization_;  ///< [C]; this and the next two only if batches center on themselves
  backend::DeviceBuffer divisors_;      ///< [C]
  backend::DeviceBuffer sums_;          ///< [C]
  mutable std::mutex centering_;        ///< batches that center on themselves take turns with the maps
  mutable backend::InFlight gathers_;   ///< last: the destructor waits before it frees what they use
};

}  // namespace octavo::store
