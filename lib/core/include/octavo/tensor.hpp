// Borrowed tensors: where numbers lie, of which type and shape, on which device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <octavo/device.hpp>

namespace octavo {

/// Types of the numbers in a tensor.
enum class DType { float32, float16, bfloat16, int32, int64 };

/// Bytes of one number.
constexpr std::int64_t bytes_of(DType type) {
  if (type == DType::int64) return 8;
  return type == DType::float32 || type == DType::int32 ? 4 : 2;
}

/// "float32", "float16", "bfloat16", "int32" or "int64".
constexpr const char* to_string(DType type) {
  switch (type) {
    case DType::float32:
      return "float32";
    case DType::float16:
      return "float16";
    case DType::bfloat16:
      return "bfloat16";
    case DType::int32:
      return "int32";
    case DType::int64:
      return "int64";
  }
  return "?";
}

/// Order of the axes of a batch of images: [B,C,H,W] or [B,H,W,C].
enum class Layout { nchw, nhwc };

/// A dense, row-major tensor in memory that somebody else owns.
struct TensorView {
  void* data = nullptr;  ///< on `device`
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;  ///< outermost axis first
  Device device = Device::cpu();

  /// Numbers in it.
  std::int64_t element_count() const {
    std::int64_t count = 1;
    for (const std::int64_t axis : shape) count *= axis;
    return count;
  }
  /// Bytes that it takes.
  std::int64_t byte_count() const { return element_count() * bytes_of(dtype); }

  /// The numbers of a float32 tensor in host memory, for reading and writing; of the other types and of tensors on a
  /// GPU, `data` is the way.
  std::span<float> floats() const { return {static_cast<float*>(data), static_cast<std::size_t>(element_count())}; }
  /// Likewise of an int32 tensor.
  std::span<std::int32_t> ints() const {
    return {static_cast<std::int32_t*>(data), static_cast<std::size_t>(element_count())};
  }
};

}  // namespace octavo
