// A tensor that owns its memory, on any device, for tests.
#pragma once

#include <cstring>
#include <memory>
#include <octavo/tensor.hpp>
#include <vector>

#include "backend/backend.hpp"

namespace octavo::test {

class DeviceTensor {
 public:
  DeviceTensor(Device device, DType dtype, std::vector<std::int64_t> shape)
      : backend_(backend::make_backend(device)), view_{nullptr, dtype, std::move(shape), device} {
    const auto bytes = static_cast<std::size_t>(view_.byte_count());
    buffer_ = backend::DeviceBuffer(backend_, bytes, "a tensor of a test");
    // Poison, so that unwritten values are detected.
    if (bytes != 0) backend_->copy_to_device(buffer_.data(), std::vector<unsigned char>(bytes, 0xEE).data(), bytes, {});
    view_.data = buffer_.data();
  }

  const TensorView& view() const { return view_; }
  /// Copies the tensor to the host on `stream`, which must be ordered after the work that makes the tensor.
  template <typename T>
  std::vector<T> to_host(StreamRef stream = {}) const {
    return read<T>(view_, stream);
  }

  /// Reads the numbers of any tensor.
  template <typename T>
  static std::vector<T> read(const TensorView& tensor, StreamRef stream = {}) {
    std::vector<T> host(static_cast<std::size_t>(tensor.byte_count()) / sizeof(T));
    if (!host.empty()) {
      backend::make_backend(tensor.device)->copy_to_host(host.data(), tensor.data, host.size() * sizeof(T), stream);
    }
    return host;
  }

 private:
  std::shared_ptr<backend::Backend> backend_;
  TensorView view_;
  backend::DeviceBuffer buffer_;
};

}  // namespace octavo::test
