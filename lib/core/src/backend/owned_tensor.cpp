#include <octavo/owned_tensor.hpp>

#include <iterator>
#include <mutex>
#include <string>
#include <utility>

#include <octavo/errors.hpp>

#include "backend/backend.hpp"

namespace octavo {
namespace {

/// Number of unused blocks that a pool keeps.
constexpr std::size_t kMostFreeBlocks = 8;

/// Size of the shape in bytes. The product is checked, because the shape is untrusted.
std::size_t checked_bytes(DType dtype, const std::vector<std::int64_t>& shape) {
  std::int64_t bytes = bytes_of(dtype);
  for (const std::int64_t axis : shape) {
    if (axis < 0) throw InvalidArgument("allocate a tensor: invalid axis " + std::to_string(axis));
    if (axis != 0 && bytes > (std::int64_t{1} << 62) / axis) {
      throw InvalidArgument("allocate a tensor: it would have more than 2^62 bytes");
    }
    bytes *= axis;
  }
  return static_cast<std::size_t>(bytes);
}

}  // namespace

namespace backend {

/// Device memory and an event for the last work on it.
struct TensorBlock {
  TensorBlock(const std::shared_ptr<Backend>& device, std::size_t bytes)
      : backend(device), memory(device, bytes, "a tensor"), used(device) {}
  ~TensorBlock() { finish(*backend, used.get()); }
  TensorBlock(const TensorBlock&) = delete;
  TensorBlock& operator=(const TensorBlock&) = delete;

  /// Called when no tensor refers to the memory any more. Work on it may still be enqueued.
  void mark_used() noexcept {
    try {
      record_or_finish(*backend, used.get(), {});
    } catch (const Error&) {
      // The device has failed, which the next call on it reports, or is not usable in this process.
    }
  }

  std::shared_ptr<Backend> backend;
  DeviceBuffer memory;
  OwnedEvent used;
};

}  // namespace backend

using backend::TensorBlock;

OwnedTensor::OwnedTensor(DType dtype, std::vector<std::int64_t> shape, Device device) {
  const std::size_t bytes = checked_bytes(dtype, shape);
  const std::shared_ptr<TensorBlock> block(new TensorBlock(backend::make_backend(device), bytes),
                                           [](TensorBlock* gone) {
                                             gone->mark_used();
                                             delete gone;
                                           });
  view_ = {block->memory.data(), dtype, std::move(shape), device};
  memory_ = block;
}

class TensorPool::Implementation {
 public:
  explicit Implementation(Device device) : backend_(backend::make_backend(device)) {}

  /// Returns a block of at least `bytes`, and makes `stream` wait for earlier work on it. A reused block is at most
  /// about twice as large.
  std::unique_ptr<TensorBlock> take(std::size_t bytes, StreamRef stream) {
    const std::lock_guard lock(mutex_);
    for (auto block = free_.begin(); block != free_.end(); ++block) {
      if ((*block)->memory.bytes() < bytes || (*block)->memory.bytes() / 2 > bytes) continue;
      backend_->wait(stream, (*block)->used.get());
      std::unique_ptr<TensorBlock> found = std::move(*block);
      free_.erase(block);
      return found;
    }
    return std::make_unique<TensorBlock>(backend_, bytes);
  }

  void give_back(std::unique_ptr<TensorBlock> block) noexcept {
    block->mark_used();
    const std::lock_guard lock(mutex_);
    if (free_.size() == kMostFreeBlocks) free_.erase(free_.begin());
    free_.push_back(std::move(block));
  }

 private:
  std::shared_ptr<backend::Backend> backend_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<TensorBlock>> free_;  ///< in the order of their return
};

TensorPool::TensorPool(Device device) : device_(device), implementation_(std::make_shared<Implementation>(device)) {}

OwnedTensor TensorPool::take(DType dtype, std::vector<std::int64_t> shape, StreamRef stream) {
  const std::size_t bytes = checked_bytes(dtype, shape);
  std::unique_ptr<TensorBlock> taken = implementation_->take(bytes, stream);
  const std::shared_ptr<TensorBlock> block(taken.release(), [pool = implementation_](TensorBlock* gone) {
    pool->give_back(std::unique_ptr<TensorBlock>(gone));
  });
  return {{block->memory.data(), dtype, std::move(shape), device_}, block};
}

void synchronize(Device device, StreamRef stream) { backend::make_backend(device)->synchronize(stream); }

void copy_to_host(const TensorView& tensor, std::span<std::byte> host, StreamRef stream) {
  if (std::ssize(host) != tensor.byte_count()) {
    throw InvalidArgument("copy a tensor to the host: it has " + std::to_string(tensor.byte_count()) +
                          " bytes, but there is room for " + std::to_string(host.size()));
  }
  if (!host.empty()) backend::make_backend(tensor.device)->copy_to_host(host.data(), tensor.data, host.size(), stream);
}

}  // namespace octavo
