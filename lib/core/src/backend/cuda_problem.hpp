// Explains why CUDA devices are not usable. Takes plain data, so that every case can be tested without CUDA.
#pragma once

#include <optional>
#include <string>

namespace octavo::backend {

/// The CUDA runtime's answer to the query for the number of devices.
struct CudaAnswer {
  int status = 0;                ///< a cudaError_t
  std::string status_text;       ///< its name and description
  int device_count = 0;          ///< valid if status is 0
  int driver_version = 0;        ///< newest CUDA that the driver supports: 1000 * major + 10 * minor; 0: no driver
  int runtime_version = 0;       ///< CUDA of this build, in the same form
  bool is_forked_child = false;  ///< this process was forked from the one that loaded Octavo
  std::optional<std::string> visible_devices = {};  ///< CUDA_VISIBLE_DEVICES, if set
};

/// A reason, and whether to report it to users who did not ask for CUDA.
struct CudaProblem {
  std::string text;       ///< without a capital or a period, such as "there is no NVIDIA driver; ..."
  bool is_fault = false;  ///< something is broken or too old; false if the machine simply has no usable GPU
};

/// Returns the problem behind an answer, or nothing if there are devices.
std::optional<CudaProblem> describe_cuda_problem(const CudaAnswer& answer);

/// "13.0" for 13000, "12.4" for 12040.
std::string cuda_version_text(int version);

}  // namespace octavo::backend
