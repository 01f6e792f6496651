// The device interface of the library: memory, streams, copies and kernels. One implementation per backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <octavo/device.hpp>

#include "kernels/batch_mean.hpp"
#include "kernels/gather.hpp"
#include "kernels/mask_gather.hpp"
#include "kernels/row_copy.hpp"
#include "kernels/sample_selection.hpp"

namespace octavo::backend {

/// Device memory, in bytes.
struct MemoryInfo {
  std::int64_t total_bytes = 0;
  std::int64_t free_bytes = 0;
};

/// One device. Kernels and copies are ordered on the given stream and may return before they are done. Thread-safe.
/// Everything throws DeviceError if the device fails.
class Backend : public std::enable_shared_from_this<Backend> {
 public:
  virtual ~Backend() = default;

  virtual Device device() const = 0;
  virtual MemoryInfo memory() const = 0;
  /// Whether the host can read and write the device's memory directly.
  virtual bool is_host() const = 0;

  // Memory. `what` names the purpose in the out-of-memory message, such as "the packed samples of train". Releasing
  // does not wait, so the memory must no longer be in use; InFlight tracks that.
  virtual void* allocate(std::size_t bytes, std::string_view what) = 0;
  virtual void release(void* memory, std::size_t bytes) noexcept = 0;
  /// Allocates pinned host memory, for fast copies to the device that overlap with host work.
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(void* memory, std::size_t bytes) noexcept = 0;

  // Streams and events.
  /// Creates a stream with the lowest priority, so that prefetching yields to current work.
  virtual void* create_stream() = 0;
  virtual void release_stream(void* stream) noexcept = 0;
  virtual void* create_event() = 0;
  virtual void release_event(void* event) noexcept = 0;
  /// Records the event: it completes when all work enqueued on the stream so far is done.
  virtual void record(void* event, StreamRef stream) = 0;
  /// Makes later work on the stream wait for the most recent record of the event.
  virtual void wait(StreamRef stream, void* event) = 0;
  /// Blocks the caller until the event completes.
  virtual void synchronize_event(void* event) = 0;
  virtual void synchronize(StreamRef stream) = 0;
  /// Returns a number that is unique among all streams of the process, past and present. (Addresses are reused.)
  virtual std::uint64_t stream_id(StreamRef stream) const = 0;
  /// Whether work enqueued on the stream is captured into a graph instead of executed.
  virtual bool is_capturing(StreamRef stream) const = 0;

  // Copies.
  /// Copies from pinned memory, which must stay unchanged until the stream has completed the copy.
  virtual void copy_pinned_to_device(void* to, const void* from, std::size_t bytes, StreamRef stream) = 0;
  /// Copies from any host memory. `from` may be reused when the call returns.
  virtual void copy_to_device(void* to, const void* from, std::size_t bytes, StreamRef stream) = 0;
  /// Returns when the copy is done.
  virtual void copy_to_host(void* to, const void* from, std::size_t bytes, StreamRef stream) = 0;
  /// Copies within the device. The memory must live until the stream has completed the copy.
  virtual void copy_on_device(void* to, const void* from, std::size_t bytes, StreamRef stream) = 0;
  virtual void fill_zero(void* memory, std::size_t bytes, StreamRef stream) = 0;
  /// Returns the row numbers in memory that later kernels on `stream` can read, until return_rows() on the same stream.
  /// On the CPU's null stream, `rows` must live that long. Must not be called while the stream is captured.
  virtual const std::int64_t* lend_rows(std::span<const std::int64_t> rows, StreamRef stream) = 0;
  virtual void return_rows(const std::int64_t* rows, StreamRef stream) = 0;

  // Kernels. The memory that their arguments point to must live until the stream has completed them.
  virtual void gather(const kernels::GatherArgs& args, StreamRef stream) = 0;
  /// The slots of GatherArgs::block_memory that blocks use at once. 0: the backend needs none.
  virtual std::int64_t images_at_once() const { return 0; }
  virtual void gather_masks(const kernels::MaskGatherArgs& args, StreamRef stream) = 0;
  virtual void select_samples(const kernels::SampleSelectionArgs& args, StreamRef stream) = 0;
  virtual void row_copy(const kernels::RowCopyArgs& args, StreamRef stream) = 0;
  virtual void batch_mean(const kernels::BatchMeanArgs& args, StreamRef stream) = 0;
};

/// Returns the backend of `device`. Concurrent users share one backend and its threads.
/// Throws Unavailable if this build or this machine does not have the device.
std::shared_ptr<Backend> make_backend(Device device);

/// Returns a CPU backend with `thread_count` threads (0: all threads available to this process).
std::shared_ptr<Backend> make_cpu_backend(int thread_count = 0);

/// Owns something of a backend, which kRelease(backend, handle, bytes) releases. Empty if default-constructed or moved
/// from.
template <auto kRelease>
class Owned {
 public:
  Owned() = default;
  Owned(std::shared_ptr<Backend> backend, void* handle, std::size_t bytes = 0)
      : backend_(std::move(backend)), handle_(handle), bytes_(bytes) {}
  Owned(Owned&& other) noexcept { *this = std::move(other); }
  Owned& operator=(Owned&& other) noexcept {
    std::swap(backend_, other.backend_);
    std::swap(handle_, other.handle_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) kRelease(*backend_, handle_, bytes_);
  }

  void* get() const { return handle_; }

 protected:
  std::size_t size() const { return bytes_; }

 private:
  std::shared_ptr<Backend> backend_;
  void* handle_ = nullptr;
  std::size_t bytes_ = 0;
};

inline void release_memory(Backend& backend, void* memory, std::size_t bytes) noexcept {
  backend.release(memory, bytes);
}
inline void release_pinned(Backend& backend, void* memory, std::size_t bytes) noexcept {
  backend.release_pinned(memory, bytes);
}
inline void release_stream(Backend& backend, void* stream, std::size_t) noexcept { backend.release_stream(stream); }
inline void release_event(Backend& backend, void* event, std::size_t) noexcept { backend.release_event(event); }

/// Device memory; empty if made with 0 bytes.
class DeviceBuffer : public Owned<&release_memory> {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(const std::shared_ptr<Backend>& backend, std::size_t bytes, std::string_view what)
      : Owned(backend, bytes == 0 ? nullptr : backend->allocate(bytes, what), bytes) {}
  /// Takes over memory that the backend's release() can free.
  static DeviceBuffer of_mapped(const std::shared_ptr<Backend>& backend, void* memory, std::size_t bytes) {
    DeviceBuffer buffer;
    static_cast<Owned&>(buffer) = Owned(backend, memory, bytes);
    return buffer;
  }

  void* data() const { return get(); }
  template <typename T>
  T* as() const {
    return static_cast<T*>(get());
  }
  std::size_t bytes() const { return size(); }
};

/// Pinned host memory; empty if made with 0 bytes.
class PinnedBuffer : public Owned<&release_pinned> {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(const std::shared_ptr<Backend>& backend, std::size_t bytes)
      : Owned(backend, bytes == 0 ? nullptr : backend->allocate_pinned(bytes), bytes) {}

  std::byte* data() const { return static_cast<std::byte*>(get()); }
  std::size_t bytes() const { return size(); }
};

class OwnedStream : public Owned<&release_stream> {
 public:
  OwnedStream() = default;
  explicit OwnedStream(const std::shared_ptr<Backend>& backend) : Owned(backend, backend->create_stream()) {}
};

class OwnedEvent : public Owned<&release_event> {
 public:
  OwnedEvent() = default;
  explicit OwnedEvent(const std::shared_ptr<Backend>& backend) : Owned(backend, backend->create_event()) {}
};

/// Waits for the event. Returns if the device has failed, because then nothing runs on it any more.
void finish(Backend& backend, void* event) noexcept;
/// The same for all work on the stream.
void finish(Backend& backend, StreamRef stream) noexcept;
/// Records the event. If that fails, waits for the stream before throwing, because nothing else shows when its work is
/// done.
void record_or_finish(Backend& backend, void* event, StreamRef stream);

/// Waits for a stream at the end of the scope, also during an exception, so that objects declared before it are not
/// freed while the stream uses them.
class FinishAtEnd {
 public:
  FinishAtEnd(std::shared_ptr<Backend> backend, StreamRef stream) : backend_(std::move(backend)), stream_(stream) {}
  ~FinishAtEnd() { finish(*backend_, stream_); }
  FinishAtEnd(const FinishAtEnd&) = delete;
  FinishAtEnd& operator=(const FinishAtEnd&) = delete;

 private:
  std::shared_ptr<Backend> backend_;
  StreamRef stream_;
};

}  // namespace octavo::backend
