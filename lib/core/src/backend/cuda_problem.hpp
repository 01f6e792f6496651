// Why CUDA devices are not usable, as a sentence. Plain data in, so that every case is tested without CUDA.
#pragma once

#include <optional>
#include <string>

namespace octavo::backend {

/// What the CUDA runtime answered when it was asked how many devices there are.
struct CudaAnswer {
  int status = 0;                ///< a cudaError_t
  std::string status_text;       ///< its name and CUDA's words for it
  int device_count = 0;          ///< if status is 0
  int driver_version = 0;        ///< newest CUDA that the driver supports: 1000 * major + 10 * minor; 0: no driver
  int runtime_version = 0;       ///< CUDA of this build, in the same form
  bool is_forked_child = false;  ///< this process was forked from the one that loaded Octavo
  std::optional<std::string> visible_devices = {};  ///< the variable CUDA_VISIBLE_DEVICES, if it is set
};

/// A reason, and whether somebody has to hear of it who did not ask for CUDA.
struct CudaProblem {
  std::string text;       ///< without a capital or a period, such as "there is no NVIDIA driver; ..."
  bool is_fault = false;  ///< something is broken or too old; false for a machine that simply has no GPU to use
};

/// The problem behind an answer; nothing if there are devices.
std::optional<CudaProblem> describe_cuda_problem(const CudaAnswer& answer);

/// "13.0" for 13000, "12.4" for 12040.
std::string cuda_version_text(int version);

}  // namespace octavo::backend
