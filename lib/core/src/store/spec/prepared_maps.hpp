// A folded spec on a device, and the kernel arguments made from it.
#pragma once

#include <memory>
#include <mutex>

#include <octavo/batch_spec.hpp>
#include <octavo/tensor.hpp>

#include "backend/backend.hpp"
#include "backend/in_flight.hpp"
#include "store/spec/batch_target.hpp"
#include "store/spec/folded_spec.hpp"
#include "store/stored_samples.hpp"

namespace octavo::store {

/// What gathers of a spec need on the device: its maps, its augmentation, and the memory in which blocks work.
class PreparedMaps {
 public:
  PreparedMaps(std::shared_ptr<const StoredSamples> samples, const BatchSpec& spec);

  const BatchSpec& spec() const { return spec_; }
  /// A hash of the numbers of the normalization, whatever the layout.
  std::uint64_t numbers_hash() const { return numbers_hash_; }
  std::int64_t device_bytes() const;

  /// Enqueues the gather of `batch_count` samples, selected from `samples`, into `to`. They are `batches` batches, by
  /// which the selection's cursor, if it has one, advances. Thread-safe, on any number of streams; serializes gathers
  /// where necessary. Throws InvalidArgument for an epoch of 2^32 or more with an augmentation, OutOfMemory without
  /// scratch memory, and DeviceError.
  void gather(const kernels::PackedSamples& samples, const kernels::RowSelection& selection, std::int64_t batch_count,
              const BatchTarget& to, StreamRef stream, std::int64_t batches = 1) const;

 private:
  void enqueue(const kernels::PackedSamples& samples, const kernels::RowSelection& selection, std::int64_t batch_count,
               const BatchTarget& to, StreamRef stream, std::int64_t batches) const;
  void prepare_augmentation();
  void allocate_block_memory(const kernels::AugmentProgram* program);
  /// For gathers that are not fused with a decoder; 0 if rows are in place.
  std::int64_t decoded_memory_bytes(const kernels::PackedRows& rows) const;
  void gather_masks(const kernels::PackedRows& masks, const kernels::RowSelection& selection, std::int64_t batch_count,
                    void* to, StreamRef stream) const;
  void make_batch_maps(const kernels::PackedRows& rows, const kernels::RowSelection& selection,
                       std::int64_t batch_count, StreamRef stream) const;

  std::shared_ptr<const StoredSamples> samples_;
  BatchSpec spec_;
  std::uint64_t numbers_hash_ = 0;
  bool uniform_map_ = false;
  kernels::AugmentArgs augment_ = {};
  kernels::BlockMemory block_memory_;
  kernels::DecodedMemory decoded_memory_;
  backend::DeviceBuffer maps_;          ///< [C] or [1] Affine; rewritten for each batch with Center::batch
  backend::DeviceBuffer pixel_shifts_;  ///< C*P float in output order, or empty
  backend::DeviceBuffer program_;       ///< the augmentation; empty if there is none
  backend::DeviceBuffer slots_;         ///< block_memory_ and decoded_memory_, if the backend needs them
  backend::DeviceBuffer quantization_;  ///< [C]; this and the next two only with Center::batch
  backend::DeviceBuffer divisors_;      ///< [C]
  backend::DeviceBuffer sums_;          ///< [C]
  mutable std::mutex serial_;           ///< serializes the use of the maps with Center::batch, and of slots_
  mutable backend::InFlight gathers_;   ///< last: its destructor waits before the buffers are freed
};

}  // namespace octavo::store
