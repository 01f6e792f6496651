// Gigabytes of codes on a GPU, with contents that the host can compute.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/big_memory.hpp"

namespace octavo::bench {

inline void check_cuda(cudaError_t status, const char* doing) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(doing) + ": " + cudaGetErrorString(status));
}

struct FreeDevice {
  void operator()(void* memory) const { static_cast<void>(cudaFree(memory)); }
};
using DeviceMemory = std::unique_ptr<void, FreeDevice>;

inline DeviceMemory device_memory(std::size_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, bytes), "take device memory");
  return DeviceMemory(memory);
}

/// A region of device memory that repeats a block of random bytes. The block's length is prime, so an offset that is
/// wrong by 2^32 or another power of two reads different bytes.
class DeviceRegion {
 public:
  explicit DeviceRegion(std::size_t bytes)
      : bytes_(bytes), block_bytes_(std::min(bytes, kBlockBytes)), block_(make_big_memory(block_bytes_)) {
    memory_ = device_memory(bytes);
    check_cuda(cudaMemcpy(memory_.get(), block_.get(), block_bytes_, cudaMemcpyHostToDevice), "copy codes");
    for (std::size_t filled = block_bytes_; filled < bytes; filled *= 2) {
      check_cuda(cudaMemcpyAsync(at(filled), memory_.get(), std::min(filled, bytes - filled), cudaMemcpyDeviceToDevice),
                 "repeat codes");
    }
    check_cuda(cudaDeviceSynchronize(), "repeat codes");
  }

  std::size_t bytes() const { return bytes_; }
  const std::int8_t* codes() const { return static_cast<const std::int8_t*>(memory_.get()); }

  /// The contents of the rows with these numbers, each of `row_bytes` bytes.
  std::vector<std::int8_t> host_rows(std::span<const std::int64_t> rows, std::int64_t row_bytes) const {
    std::vector<std::int8_t> out(rows.size() * static_cast<std::size_t>(row_bytes));
    std::int8_t* next = out.data();
    for (const std::int64_t row : rows) {
      for (std::int64_t i = 0; i < row_bytes; ++i) {
        const auto offset = static_cast<std::size_t>(row * row_bytes + i) % block_bytes_;
        *next++ = static_cast<std::int8_t>(block_.get()[offset]);
      }
    }
    return out;
  }

 private:
  static constexpr std::size_t kBlockBytes = 1'000'000'007;

  void* at(std::size_t offset) const { return static_cast<std::byte*>(memory_.get()) + offset; }

  std::size_t bytes_, block_bytes_;
  BigMemory block_;
  DeviceMemory memory_;
};

}  // namespace octavo::bench
