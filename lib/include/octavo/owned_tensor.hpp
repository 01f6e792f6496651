// Tensors that own their memory, for callers that have no allocator on the device.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <octavo/device.hpp>
#include <octavo/tensor.hpp>

namespace octavo {

/// A dense, row-major tensor, released with its last copy. On CUDA releasing waits for the device.
class OwnedTensor {
 public:
  /// Takes memory on `device`, not cleared. Throws InvalidArgument for a negative axis or more than 2^62 bytes,
  /// OutOfMemory if it does not suffice, Unavailable if this build or machine has no such device.
  OwnedTensor(DType dtype, std::vector<std::int64_t> shape, Device device);

  const TensorView& view() const { return view_; }

 private:
  TensorView view_;
  std::shared_ptr<void> memory_;
};

/// Returns when `stream` of `device` has done what it was given so far. Throws DeviceError if the device fails.
void synchronize(Device device, StreamRef stream = {});

}  // namespace octavo
