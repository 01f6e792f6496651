// The clocks of a GPU under load, as reported by the driver's management library (NVML).
#pragma once

#include <dlfcn.h>

#include <optional>

namespace octavo::bench {

struct ClocksMhz {
  unsigned sm, memory;
};

/// Queries NVML, which comes with the driver and is opened at run time; without it no clocks are reported.
class GpuClocks {
 public:
  /// `pci_bus_id` in the format of cudaDeviceGetPCIBusId.
  explicit GpuClocks(const char* pci_bus_id) : library_(::dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
    if (library_ == nullptr) return;
    const auto init = find<int (*)()>("nvmlInit_v2");
    const auto find_device = find<int (*)(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
    read_ = find<Read>("nvmlDeviceGetClockInfo");
    if (init == nullptr || find_device == nullptr || init() != 0 || find_device(pci_bus_id, &device_) != 0) {
      read_ = nullptr;
    }
  }
  ~GpuClocks() {
    if (library_ != nullptr) ::dlclose(library_);
  }
  GpuClocks(const GpuClocks&) = delete;
  GpuClocks& operator=(const GpuClocks&) = delete;

  std::optional<ClocksMhz> read() const {
    constexpr int kSm = 1, kMemory = 2;  // nvmlClockType_t
    ClocksMhz clocks{};
    if (read_ == nullptr || read_(device_, kSm, &clocks.sm) != 0 || read_(device_, kMemory, &clocks.memory) != 0) {
      return std::nullopt;
    }
    return clocks;
  }

 private:
  using Read = int (*)(void* device, int clock, unsigned* mhz);

  template <typename Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(::dlsym(library_, name));
  }

  void* library_;
  void* device_ = nullptr;
  Read read_ = nullptr;
};

}  // namespace octavo::bench
