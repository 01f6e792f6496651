// Kernels as the code that nvcc generates, on the interpreter of tests/device_code.
#pragma once

#include "cuda_runtime.h"

namespace fake_cuda {

/// Whether the environment variable DEVICE_CODE asks for it. Otherwise kernels run as compiled for the host.
bool runs_generated_code();
/// Runs a kernel to its end, as part of the running operation. Its faults, and what the interpreter does not know, are
/// violations.
void run_generated(const cudaLaunchConfig_t& config, const cuda_shim::KernelCall& call);

}  // namespace fake_cuda
