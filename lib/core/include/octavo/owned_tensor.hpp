// Tensors that own their memory, for callers without a device allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <octavo/device.hpp>
#include <octavo/tensor.hpp>

namespace octavo {

/// A dense, row-major tensor. The last copy releases the memory. On CUDA, work that uses the tensor may still be
/// enqueued then if it is on the default stream or a stream ordered with it (any stream that is not non-blocking). Work
/// on other streams must be complete, or the default stream must wait for it.
class OwnedTensor {
 public:
  /// Allocates uninitialized memory on `device`. Throws InvalidArgument for a negative axis or more than 2^62 bytes,
  /// OutOfMemory if there is not enough memory, Unavailable if this build or machine has no such device.
  OwnedTensor(DType dtype, std::vector<std::int64_t> shape, Device device);

  const TensorView& view() const { return view_; }

 private:
  friend class TensorPool;
  OwnedTensor(TensorView view, std::shared_ptr<void> memory) : view_(std::move(view)), memory_(std::move(memory)) {}
  TensorView view_;
  std::shared_ptr<void> memory_;
};

/// Reuses the memory of released tensors for new ones of similar size, without allocating and without waiting on the
/// host. Tensors may outlive the pool. Thread-safe.
class TensorPool {
 public:
  /// Throws Unavailable if this build or machine has no such device.
  explicit TensorPool(Device device);

  /// Returns a tensor that work on `stream` may write. That work is ordered after all work on the tensor that used the
  /// memory before. Throws like the constructor of OwnedTensor.
  OwnedTensor take(DType dtype, std::vector<std::int64_t> shape, StreamRef stream = {});

 private:
  class Implementation;
  Device device_;
  std::shared_ptr<Implementation> implementation_;
};

/// Waits until all work enqueued on `stream` of `device` is done. Throws DeviceError if the device fails.
void synchronize(Device device, StreamRef stream = {});

/// Copies the elements of `tensor`, on any device, to host memory. Waits for all work enqueued on `stream` and for the
/// copy. Throws InvalidArgument unless `host` has tensor.byte_count() bytes, DeviceError if the device fails.
void copy_to_host(const TensorView& tensor, std::span<std::byte> host, StreamRef stream = {});

}  // namespace octavo
