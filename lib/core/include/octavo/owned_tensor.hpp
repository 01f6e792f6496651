// Tensors that own their memory, for callers that have no allocator on the device.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <octavo/device.hpp>
#include <octavo/tensor.hpp>

namespace octavo {

/// A dense, row-major tensor, released with its last copy. On CUDA work on it may still be enqueued then if it is on the
/// default stream or a stream that is ordered with it (all but non-blocking ones); other work must be finished, or
/// waited for by the default stream.
class OwnedTensor {
 public:
  /// Takes memory on `device`, not cleared. Throws InvalidArgument for a negative axis or more than 2^62 bytes,
  /// OutOfMemory if it does not suffice, Unavailable if this build or machine has no such device.
  OwnedTensor(DType dtype, std::vector<std::int64_t> shape, Device device);

  const TensorView& view() const { return view_; }

 private:
  friend class TensorPool;
  OwnedTensor(TensorView view, std::shared_ptr<void> memory) : view_(std::move(view)), memory_(std::move(memory)) {}
  TensorView view_;
  std::shared_ptr<void> memory_;
};

/// Tensors of similar sizes, one after another, that use the memory of those that are gone: nothing is allocated, and
/// nothing waits. Tensors may outlive the pool. Safe to use from several threads.
class TensorPool {
 public:
  /// Throws Unavailable if this build or machine has no such device.
  explicit TensorPool(Device device);

  /// A tensor whose memory may be written by work on `stream`, which comes after the work on whatever had the memory
  /// before. Throws as the constructor of OwnedTensor does.
  OwnedTensor take(DType dtype, std::vector<std::int64_t> shape, StreamRef stream = {});

 private:
  class Implementation;
  Device device_;
  std::shared_ptr<Implementation> implementation_;
};

/// Returns when `stream` of `device` has done what it was given so far. Throws DeviceError if the device fails.
void synchronize(Device device, StreamRef stream = {});

}  // namespace octavo
