#include <octavo/owned_tensor.hpp>

#include <string>
#include <utility>

#include <octavo/errors.hpp>

#include "backend/backend.hpp"

namespace octavo {
namespace {

/// Bytes of the shape; the product is checked, since it may come from anywhere.
std::size_t checked_bytes(DType dtype, const std::vector<std::int64_t>& shape) {
  std::int64_t bytes = bytes_of(dtype);
  for (const std::int64_t axis : shape) {
    if (axis < 0) throw InvalidArgument("take memory for a tensor: an axis is " + std::to_string(axis));
    if (axis != 0 && bytes > (std::int64_t{1} << 62) / axis) {
      throw InvalidArgument("take memory for a tensor: it would have more than 2^62 bytes");
    }
    bytes *= axis;
  }
  return static_cast<std::size_t>(bytes);
}

}  // namespace

OwnedTensor::OwnedTensor(DType dtype, std::vector<std::int64_t> shape, Device device) {
  const std::size_t bytes = checked_bytes(dtype, shape);
  auto buffer = std::make_shared<backend::DeviceBuffer>(backend::make_backend(device), bytes, "a tensor");
  view_ = {buffer->data(), dtype, std::move(shape), device};
  memory_ = std::move(buffer);
}

void synchronize(Device device, StreamRef stream) { backend::make_backend(device)->synchronize(stream); }

}  // namespace octavo
