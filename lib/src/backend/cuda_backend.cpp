// The CUDA back end.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <string>

#include <octavo/errors.hpp>

#include "backend/backend.hpp"
#include "backend/cuda_devices.hpp"
#include "cuda/batch_mean.hpp"
#include "cuda/check.hpp"
#include "cuda/gather.hpp"
#include "cuda/order_cursor.hpp"
#include "cuda/row_copy.hpp"

namespace octavo::backend {
namespace {

using cuda::check;

cudaStream_t stream_of(StreamRef stream) { return static_cast<cudaStream_t>(stream.handle()); }
cudaEvent_t event_of(void* event) { return static_cast<cudaEvent_t>(event); }

/// Whether this process has a context on a device: making it current would create one, which takes hundreds of
/// megabytes of its memory. The runtime has no such question; the driver, which it has loaded by then, has.
bool has_context(int ordinal) {
  using GetState = int (*)(int device, unsigned* flags, int* is_active);
  static const auto get_state = [] {
    void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return driver == nullptr ? nullptr : reinterpret_cast<GetState>(::dlsym(driver, "cuDevicePrimaryCtxGetState"));
  }();
  unsigned flags = 0;
  int is_active = 0;
  return get_state != nullptr && get_state(ordinal, &flags, &is_active) == 0 && is_active != 0;
}

/// Makes a device the calling thread's current one, and the one before it again at the end: which device is current is
/// the caller's business, and every call that depends on it begins with this. A device that the process has not used is
/// not made current again: fresh threads name device 0, whichever one they are for.
class SelectedDevice {
 public:
  explicit SelectedDevice(int ordinal) : ordinal_(ordinal) {
    check(cudaGetDevice(&previous_), "ask for the current device");
    if (previous_ != ordinal_) check(cudaSetDevice(ordinal_), "choose the device");
  }
  ~SelectedDevice() {
    if (previous_ != ordinal_ && has_context(previous_)) static_cast<void>(cudaSetDevice(previous_));
  }
  SelectedDevice(const SelectedDevice&) = delete;
  SelectedDevice& operator=(const SelectedDevice&) = delete;

 private:
  int ordinal_;
  int previous_ = 0;
};

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int ordinal) : ordinal_(ordinal) {
    const SelectedDevice selected(ordinal_);
    check(cudaDeviceGetAttribute(&multiprocessor_count_, cudaDevAttrMultiProcessorCount, ordinal),
          "ask for the multiprocessors of the device");
  }

  Device device() const override { return Device::cuda(ordinal_); }
  bool is_host() const override { return false; }
  MemoryInfo memory() const override {
    const SelectedDevice selected(ordinal_);
    std::size_t free_bytes = 0, total_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "ask for the free memory of the device");
    return {static_cast<std::int64_t>(total_bytes), static_cast<std::int64_t>(free_bytes)};
  }

  void* allocate(std::size_t bytes, std::string_view what) override {
    const SelectedDevice selected(ordinal_);
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    if (status != cudaErrorMemoryAllocation) check(status, "take memory of the device");
    if (status != cudaSuccess) {
      static_cast<void>(cudaGetLastError());  // so that the next call does not report this again
      throw OutOfMemory("take " + std::to_string(bytes) + " bytes of " + to_string(device()) + " for " +
                        std::string(what) + ": only " + std::to_string(this->memory().free_bytes) +
                        " bytes are free; close other programs, or use a smaller split or the device cpu");
    }
    return memory;
  }
  /// cudaFree waits for the device: work that was enqueued before, on any stream, is done with the memory by then.
  void release(void* memory, std::size_t) noexcept override { static_cast<void>(cudaFree(memory)); }
  void* allocate_pinned(std::size_t bytes) override {
    const SelectedDevice selected(ordinal_);
    void* memory = nullptr;
    const cudaError_t status = cudaHostAlloc(&memory, bytes, cudaHostAllocDefault);
    if (status != cudaErrorMemoryAllocation) check(status, "take pinned host memory");
    if (status != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      throw OutOfMemory("take " + std::to_string(bytes) + " bytes of pinned host memory: they could not be had; " +
                        "close other programs");
    }
    return memory;
  }
  void release_pinned(void* memory, std::size_t) noexcept override { static_cast<void>(cudaFreeHost(memory)); }

  void* create_stream() override {
    const SelectedDevice selected(ordinal_);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
    return stream;
  }
  void release_stream(void* stream) noexcept override {
    static_cast<void>(cudaStreamDestroy(static_cast<cudaStream_t>(stream)));
  }
  void* create_event() override {
    const SelectedDevice selected(ordinal_);
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "create an event");
    return event;
  }
  void release_event(void* event) noexcept override { static_cast<void>(cudaEventDestroy(event_of(event))); }
  void record(void* event, StreamRef stream) override {
    const SelectedDevice selected(ordinal_);
    check(cudaEventRecord(event_of(event), stream_of(stream)), "record an event");
  }
  void wait(StreamRef stream, void* event) override {
    const SelectedDevice selected(ordinal_);
    check(cudaStreamWaitEvent(stream_of(stream), event_of(event), 0), "wait for an event");
  }
  void synchronize_event(void* event) override { check(cudaEventSynchronize(event_of(event)), "wait for an event"); }
  void synchronize(StreamRef stream) override {
    const SelectedDevice selected(ordinal_);
    check(cudaStreamSynchronize(stream_of(stream)), "wait for the device");
  }

  void copy_rows_to_device(void* to, std::size_t stride_bytes, const void* from, std::size_t row_bytes,
                           std::size_t row_count, StreamRef stream) override {
    const SelectedDevice selected(ordinal_);
    const cudaError_t status =
        stride_bytes == row_bytes
            ? cudaMemcpyAsync(to, from, row_bytes * row_count, cudaMemcpyHostToDevice, stream_of(stream))
            : cudaMemcpy2DAsync(to, stride_bytes, from, row_bytes, row_bytes, row_count, cudaMemcpyHostToDevice,
                                stream_of(stream));
    check(status, "copy samples to the device");
  }
  void copy_to_device(void* to, const void* from, std::size_t bytes, StreamRef stream) override {
    const SelectedDevice selected(ordinal_);
    // `from` is pageable: the copy is staged before the call returns, but only a synchronisation promises it.
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_of(stream)), "copy to the device");
    check(cudaStreamSynchronize(stream_of(stream)), "copy to the device");
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes, StreamRef stream) override {
    const SelectedDevice selected(ordinal_);
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_of(stream)), "copy from the device");
    check(cudaStreamSynchronize(stream_of(stream)), "copy from the device");
  }
  void fill_zero(void* memory, std::size_t bytes, StreamRef stream) override {
    const SelectedDevice selected(ordinal_);
    check(cudaMemsetAsync(memory, 0, bytes, stream_of(stream)), "clear memory of the device");
  }
  const std::int64_t* lend_rows(std::span<const std::int64_t> rows, StreamRef stream) override {
    const SelectedDevice selected(ordinal_);
    void* memory = nullptr;
    check(cudaMallocAsync(&memory, rows.size_bytes(), stream_of(stream)), "take device memory for row numbers");
    const cudaError_t status =
        cudaMemcpyAsync(memory, rows.data(), rows.size_bytes(), cudaMemcpyHostToDevice, stream_of(stream));
    if (status != cudaSuccess) static_cast<void>(cudaFreeAsync(memory, stream_of(stream)));
    check(status, "copy row numbers to the device");
    // From pageable memory the copy is staged before the call returns; from pinned memory it is still to come.
    cudaPointerAttributes attributes{};
    check(cudaPointerGetAttributes(&attributes, rows.data()), "ask where row numbers lie");
    if (attributes.type != cudaMemoryTypeUnregistered) synchronize(stream);
    return static_cast<const std::int64_t*>(memory);
  }
  void return_rows(const std::int64_t* rows, StreamRef stream) override {
    const SelectedDevice selected(ordinal_);
    check(cudaFreeAsync(const_cast<std::int64_t*>(rows), stream_of(stream)), "give back row numbers");
  }

  void gather(const kernels::GatherArgs& args, StreamRef stream) override {
    const SelectedDevice selected(ordinal_);
    check(kernels::cuda::launch_gather(args, multiprocessor_count_, stream_of(stream)), "gather a batch");
  }
  void row_copy(const kernels::RowCopyArgs& args, StreamRef stream) override {
    const SelectedDevice selected(ordinal_);
    check(kernels::cuda::launch_row_copy(args, multiprocessor_count_, stream_of(stream)), "copy the rows of a batch");
  }
  void batch_mean(const kernels::BatchMeanArgs& args, StreamRef stream) override {
    const SelectedDevice selected(ordinal_);
    check(kernels::cuda::launch_batch_mean(args, multiprocessor_count_, stream_of(stream)),
          "centre a batch on its mean");
  }
  void advance(kernels::OrderCursor* cursor, std::int64_t batches, StreamRef stream) override {
    const SelectedDevice selected(ordinal_);
    check(kernels::cuda::launch_advance(cursor, batches, stream_of(stream)), "go on in the order");
  }

 private:
  int ordinal_;
  int multiprocessor_count_ = 0;
};

/// 0 also if there is no driver.
int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  return count;
}

DeviceInfo describe_device(int ordinal) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "describe a device");
  const MemoryInfo memory = CudaBackend(ordinal).memory();
  return {Device::cuda(ordinal), properties.name, memory.total_bytes, memory.free_bytes,
          "compute capability " + std::to_string(properties.major) + "." + std::to_string(properties.minor) + ", " +
              std::to_string(properties.multiProcessorCount) + " multiprocessors, " +
              std::to_string(properties.l2CacheSize >> 20) + " MiB of L2"};
}

}  // namespace

std::vector<DeviceInfo> list_cuda_devices() {
  std::vector<DeviceInfo> devices;
  for (int ordinal = 0; ordinal < device_count(); ++ordinal) devices.push_back(describe_device(ordinal));
  return devices;
}

std::shared_ptr<Backend> make_cuda_backend(int ordinal) {
  const int count = device_count();
  if (ordinal >= count) {
    throw Unavailable("use device cuda:" + std::to_string(ordinal) + ": this machine has " +
                      (count == 0 ? std::string("no CUDA device, or no driver for it")
                                  : std::to_string(count) + " CUDA devices, numbered from 0") +
                      "; use the device cpu, or see `octavo devices`");
  }
  return std::make_shared<CudaBackend>(ordinal);
}

std::optional<std::string> cuda_backend_name() {
  return "cuda (toolkit " + std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10) +
         ")";
}

}  // namespace octavo::backend
