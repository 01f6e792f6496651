// Device properties that measurements need and a backend does not provide: cache size and copy methods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.hpp"

namespace octavo::measuring {

/// A way to copy memory on the device. Returns when the copy is done.
struct CopyMethod {
  std::string name;
  std::function<void(void* to, const void* from, std::size_t bytes)> copy;
};

struct DeviceProbe {
  std::int64_t cache_bytes = 0;  ///< last-level cache
  std::vector<CopyMethod> copies;
};

DeviceProbe probe_cpu();
/// Throws Unavailable if this build has no CUDA.
DeviceProbe probe_cuda(Device device);

inline DeviceProbe probe(Device device) { return device.is_cpu() ? probe_cpu() : probe_cuda(device); }

/// Bytes of device memory in use. CPU: the resident set of this process; else the memory that is not free.
std::int64_t taken_bytes(const backend::Backend& backend);

}  // namespace octavo::measuring
