// The CUDA backend.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <string>

#include <octavo/errors.hpp>

#include "backend/backend.hpp"
#include "backend/cuda_devices.hpp"
#include "cuda/check.hpp"
#include "cuda/device_scope.hpp"
#include "kernels/cuda/batch_mean.hpp"
#include "kernels/cuda/gather.hpp"
#include "kernels/cuda/mask_gather.hpp"
#include "kernels/cuda/row_copy.hpp"
#include "kernels/cuda/sample_selection.hpp"

namespace octavo::backend {
namespace {

using cuda::check;
using cuda::DeviceScope;

cudaStream_t stream_of(StreamRef stream) { return static_cast<cudaStream_t>(stream.handle()); }
cudaEvent_t event_of(void* event) { return static_cast<cudaEvent_t>(event); }

/// Staging for row numbers, on the host and on the device. Reused when the work that reads them is done, so a batch of
/// chosen rows neither allocates nor waits.
struct RowSlot {
  std::int64_t* on_host = nullptr;  ///< pinned
  std::int64_t* on_device = nullptr;
  std::size_t capacity = 0;
  cudaEvent_t read = nullptr;  ///< completes when the work that reads them is done
  bool is_lent = false;
};

/// Batches of chosen rows that can be in flight; one more waits for the oldest.
constexpr std::size_t kMostRowSlots = 16;

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int ordinal) : ordinal_(ordinal), context_(cuda::primary_context(ordinal)) {
    const DeviceScope scope(context_);
    check(cudaDeviceGetAttribute(&traits_.multiprocessor_count, cudaDevAttrMultiProcessorCount, ordinal),
          "query the number of multiprocessors");
    int l2_bytes = 0;
    check(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, ordinal), "query the L2 cache size");
    traits_.l2_bytes = l2_bytes;
  }
  ~CudaBackend() override {
    for (RowSlot& slot : row_slots_) free_rows(slot);
  }

  Device device() const override { return Device::cuda(ordinal_); }
  bool is_host() const override { return false; }
  MemoryInfo memory() const override {
    const DeviceScope scope(context_);
    std::size_t free_bytes = 0, total_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "query the free device memory");
    return {static_cast<std::int64_t>(total_bytes), static_cast<std::int64_t>(free_bytes)};
  }

  void* allocate(std::size_t bytes, std::string_view what) override {
    const DeviceScope scope(context_);
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    if (status != cudaErrorMemoryAllocation) check(status, "allocate device memory");
    if (status != cudaSuccess) {
      static_cast<void>(cudaGetLastError());  // clears the error, so that the next call does not report it
      throw OutOfMemory("allocate " + std::to_string(bytes) + " bytes of " + to_string(device()) + " for " +
                        std::string(what) + ": only " + std::to_string(this->memory().free_bytes) +
                        " bytes are free; close other programs, or use a smaller split or the device cpu");
    }
    return memory;
  }
  void release(void* memory, std::size_t) noexcept override {
    in_scope([&] { static_cast<void>(cudaFree(memory)); });
  }
  void* allocate_pinned(std::size_t bytes) override {
    const DeviceScope scope(context_);
    void* memory = nullptr;
    const cudaError_t status = cudaHostAlloc(&memory, bytes, cudaHostAllocDefault);
    if (status != cudaErrorMemoryAllocation) check(status, "allocate pinned host memory");
    if (status != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      throw OutOfMemory("allocate " + std::to_string(bytes) +
                        " bytes of pinned host memory: the system has no more; close other programs, or raise the "
                        "locked-memory limit");
    }
    return memory;
  }
  void release_pinned(void* memory, std::size_t) noexcept override {
    in_scope([&] { static_cast<void>(cudaFreeHost(memory)); });
  }

  void* create_stream() override {
    const DeviceScope scope(context_);
    int lowest = 0, highest = 0;
    check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "query the stream priorities");
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, lowest), "create a stream");
    return stream;
  }
  void release_stream(void* stream) noexcept override {
    in_scope([&] { static_cast<void>(cudaStreamDestroy(static_cast<cudaStream_t>(stream))); });
  }
  void* create_event() override {
    const DeviceScope scope(context_);
    return new_event();
  }
  void release_event(void* event) noexcept override {
    in_scope([&] { static_cast<void>(cudaEventDestroy(event_of(event))); });
  }
  void record(void* event, StreamRef stream) override {
    const DeviceScope scope(context_);
    check(cudaEventRecord(event_of(event), stream_of(stream)), "record an event");
  }
  void wait(StreamRef stream, void* event) override {
    const DeviceScope scope(context_);
    check(cudaStreamWaitEvent(stream_of(stream), event_of(event), 0), "wait for an event");
  }
  void synchronize_event(void* event) override {
    const DeviceScope scope(context_);
    check(cudaEventSynchronize(event_of(event)), "wait for an event");
  }
  void synchronize(StreamRef stream) override {
    const DeviceScope scope(context_);
    check(cudaStreamSynchronize(stream_of(stream)), "wait for the device");
  }
  std::uint64_t stream_id(StreamRef stream) const override {
    const DeviceScope scope(context_);
    unsigned long long id = 0;
    check(cudaStreamGetId(stream_of(stream), &id), "identify a stream");
    return id;
  }
  bool is_capturing(StreamRef stream) const override {
    const DeviceScope scope(context_);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(stream_of(stream), &status), "query whether a stream is being captured");
    return status != cudaStreamCaptureStatusNone;
  }

  void copy_pinned_to_device(void* to, const void* from, std::size_t bytes, StreamRef stream) override {
    const DeviceScope scope(context_);
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_of(stream)), "copy samples to the device");
  }
  void copy_to_device(void* to, const void* from, std::size_t bytes, StreamRef stream) override {
    const DeviceScope scope(context_);
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_of(stream)), "copy to the device");
    wait_for_copy(stream, "copy to the device");
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes, StreamRef stream) override {
    const DeviceScope scope(context_);
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_of(stream)), "copy from the device");
    wait_for_copy(stream, "copy from the device");
  }
  void copy_on_device(void* to, const void* from, std::size_t bytes, StreamRef stream) override {
    const DeviceScope scope(context_);
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_of(stream)), "copy on the device");
  }
  void fill_zero(void* memory, std::size_t bytes, StreamRef stream) override {
    const DeviceScope scope(context_);
    check(cudaMemsetAsync(memory, 0, bytes, stream_of(stream)), "clear device memory");
  }
  const std::int64_t* lend_rows(std::span<const std::int64_t> rows, StreamRef stream) override {
    const DeviceScope scope(context_);
    const std::lock_guard lock(row_mutex_);
    RowSlot& slot = free_row_slot(rows.size());
    std::copy(rows.begin(), rows.end(), slot.on_host);
    check(cudaMemcpyAsync(slot.on_device, slot.on_host, rows.size_bytes(), cudaMemcpyHostToDevice, stream_of(stream)),
          "copy row numbers to the device");
    slot.is_lent = true;
    return slot.on_device;
  }
  void return_rows(const std::int64_t* rows, StreamRef stream) override {
    const DeviceScope scope(context_);
    const std::lock_guard lock(row_mutex_);
    RowSlot& slot = *std::find_if(row_slots_.begin(), row_slots_.end(),
                                  [&](const RowSlot& candidate) { return candidate.on_device == rows; });
    slot.is_lent = false;
    const cudaError_t status = cudaEventRecord(slot.read, stream_of(stream));
    // Without the event, nothing shows when the rows have been read, so wait now.
    if (status != cudaSuccess) static_cast<void>(cudaStreamSynchronize(stream_of(stream)));
    check(status, "return row numbers");
  }

  void gather(const kernels::GatherArgs& args, StreamRef stream) override {
    const DeviceScope scope(context_);
    check(kernels::cuda::launch_gather(args, traits_, stream_of(stream)), "gather a batch");
  }
  std::int64_t images_at_once() const override { return kernels::cuda::most_images_at_once(traits_); }
  void gather_masks(const kernels::MaskGatherArgs& args, StreamRef stream) override {
    const DeviceScope scope(context_);
    check(kernels::cuda::launch_mask_gather(args, traits_, stream_of(stream)), "gather the masks of a batch");
  }
  void select_samples(const kernels::SampleSelectionArgs& args, StreamRef stream) override {
    const DeviceScope scope(context_);
    check(kernels::cuda::launch_sample_selection(args, stream_of(stream)), "select the samples of a batch");
  }
  void row_copy(const kernels::RowCopyArgs& args, StreamRef stream) override {
    const DeviceScope scope(context_);
    check(kernels::cuda::launch_row_copy(args, traits_, stream_of(stream)), "copy the rows of a batch");
  }
  void batch_mean(const kernels::BatchMeanArgs& args, StreamRef stream) override {
    const DeviceScope scope(context_);
    check(kernels::cuda::launch_batch_mean(args, traits_, stream_of(stream)), "center a batch on its mean");
  }

 private:
  /// The copy uses the caller's memory until it is done. If the first wait fails, the error may come from other work,
  /// so wait again before throwing.
  static void wait_for_copy(StreamRef stream, std::string_view doing) {
    const cudaError_t status = cudaStreamSynchronize(stream_of(stream));
    if (status != cudaSuccess) static_cast<void>(cudaStreamSynchronize(stream_of(stream)));
    check(status, doing);
  }

  /// For functions that cannot throw. If the device cannot be selected, CUDA still knows which device owns each handle.
  template <typename Work>
  void in_scope(const Work& work) noexcept {
    try {
      const DeviceScope scope(context_);
      return work();
    } catch (const DeviceError&) {
      work();
    }
  }

  cudaEvent_t new_event() const {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "create an event");
    return event;
  }

  /// Returns an unused slot with room for `count` rows. The caller holds the mutex.
  RowSlot& free_row_slot(std::size_t count) {
    RowSlot* oldest = nullptr;
    for (RowSlot& slot : row_slots_) {
      if (slot.is_lent) continue;
      if (oldest == nullptr) oldest = &slot;
      const bool is_done = cudaEventQuery(slot.read) == cudaSuccess;
      static_cast<void>(cudaGetLastError());  // "not ready" is not a failure
      if (is_done && slot.capacity >= count) return slot;
    }
    if (oldest == nullptr || row_slots_.size() < kMostRowSlots) {
      RowSlot slot;
      slot.read = new_event();
      oldest = &row_slots_.emplace_back(slot);
    }
    check(cudaEventSynchronize(oldest->read), "wait for row numbers to be read");
    if (oldest->capacity < count) grow(*oldest, count);
    return *oldest;
  }

  void grow(RowSlot& slot, std::size_t count) {
    const std::size_t bytes = count * sizeof(std::int64_t);
    if (slot.on_host != nullptr) release_pinned(slot.on_host, bytes);
    if (slot.on_device != nullptr) release(slot.on_device, bytes);
    slot.on_host = slot.on_device = nullptr;
    slot.capacity = 0;
    slot.on_host = static_cast<std::int64_t*>(allocate_pinned(bytes));
    slot.on_device = static_cast<std::int64_t*>(allocate(bytes, "row numbers"));
    slot.capacity = count;
  }

  void free_rows(RowSlot& slot) noexcept {
    in_scope([&] {
      // Twice: the first call may return an error of other work.
      if (cudaEventSynchronize(slot.read) != cudaSuccess) static_cast<void>(cudaEventSynchronize(slot.read));
      static_cast<void>(cudaEventDestroy(slot.read));
      static_cast<void>(cudaFreeHost(slot.on_host));
      static_cast<void>(cudaFree(slot.on_device));
    });
  }

  int ordinal_;
  CUcontext context_;
  kernels::cuda::DeviceTraits traits_{};
  std::mutex row_mutex_;
  std::list<RowSlot> row_slots_;
};

}  // namespace

std::shared_ptr<Backend> make_cuda_backend(int ordinal) {
  require_cuda_device(ordinal);
  return std::make_shared<CudaBackend>(ordinal);
}

}  // namespace octavo::backend
