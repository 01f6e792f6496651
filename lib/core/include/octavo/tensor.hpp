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
  /// GPU, use `data`. Throws InvalidArgument if the type is another, if the memory is that of a GPU, or if there is no
  /// memory for elements, as of the labels of a split without labels.
  std::span<float> floats() const {
    check_readable("floats", DType::float32);
    return {static_cast<float*>(data), static_cast<std::size_t>(element_count())};
  }
  /// The elements of an int32 tensor in host memory, as class numbers and multi-labels are. Throws like floats().
  std::span<std::int32_t> ints() const {
    check_readable("ints", DType::int32);
    return {static_cast<std::int32_t*>(data), static_cast<std::size_t>(element_count())};
  }

 private:
  void check_readable(const char* accessor, DType wanted) const;
};

}  // namespace octavo
