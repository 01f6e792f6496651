// Non-owning tensors: address, type, shape and device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <octavo/device.hpp>
#include <octavo/types.hpp>

namespace octavo {

/// The names of the types that a batch's images can have.
std::vector<std::string> image_type_names();
/// The names of the types that a batch's labels can have.
std::vector<std::string> label_type_names();
/// The names of the types that a batch's masks can have.
std::vector<std::string> mask_type_names();

/// A dense, row-major tensor that does not own its memory.
struct TensorView {
  void* data = nullptr;  ///< on `device`
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;  ///< outermost axis first
  Device device = Device::cpu();

  /// Number of elements.
  std::int64_t element_count() const {
    std::int64_t count = 1;
    for (const std::int64_t axis : shape) count *= axis;
    return count;
  }
  /// Size in bytes.
  std::int64_t byte_count() const { return element_count() * bytes_of(dtype); }

  /// The elements of a float32 tensor in host memory, for reading and writing. For other types and for tensors on a
  /// GPU, use `data`.
  std::span<float> floats() const { return {static_cast<float*>(data), static_cast<std::size_t>(element_count())}; }
  /// The elements of an int32 tensor in host memory.
  std::span<std::int32_t> ints() const {
    return {static_cast<std::int32_t*>(data), static_cast<std::size_t>(element_count())};
  }
};

}  // namespace octavo
