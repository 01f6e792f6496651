// Converts CUDA status codes to exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <string>
#include <string_view>

#include <octavo/errors.hpp>

namespace octavo::cuda {

/// Throws DeviceError if `status` is an error. The message has the action, CUDA's description and the source location.
inline void check(cudaError_t status, std::string_view doing,
                  std::source_location at = std::source_location::current()) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // clears the error, so that the next call does not report it
  throw DeviceError(std::string(doing) + ": " + cudaGetErrorName(status) + ", " + cudaGetErrorString(status) + " (" +
                    at.file_name() + ":" + std::to_string(at.line()) + ")");
}

}  // namespace octavo::cuda
