// What the report asks of a device beside the work of a backend: its cache, and its fastest copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.hpp"

namespace octavo::measuring {

/// A way to copy memory on the device; returns when the copy is done.
struct CopyMethod {
  std::string name;
  std::function<void(void* to, const void* from, std::size_t bytes)> copy;
};

struct DeviceProbe {
  std::int64_t cache_bytes = 0;  ///< last level
  std::vector<CopyMethod> copies;
};

DeviceProbe probe_cpu();
/// Throws Unavailable if this build has no CUDA.
DeviceProbe probe_cuda(Device device);

inline DeviceProbe probe(Device device) { return device.is_cpu() ? probe_cpu() : probe_cuda(device); }

/// How many bytes of the device are taken: CPU: the resident set of this process; else what is not free.
std::int64_t taken_bytes(const backend::Backend& backend);

}  // namespace octavo::measuring
