// CUDA's status codes as exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <string>
#include <string_view>

#include <octavo/errors.hpp>

namespace octavo::cuda {

/// Throws DeviceError if `status` is an error: what was being done, CUDA's words for it, and where.
inline void check(cudaError_t status, std::string_view doing,
                  std::source_location at = std::source_location::current()) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // so that the next call does not report this again
  throw DeviceError(std::string(doing) + ": " + cudaGetErrorName(status) + ", " + cudaGetErrorString(status) + " (" +
                    at.file_name() + ":" + std::to_string(at.line()) + ")");
}

}  // namespace octavo::cuda
