// Launches of the shim that run the code that nvcc generated instead of the kernel compiled for the host.
#include "launch/launch_generated.hpp"

#include <stdexcept>

#include "cuda_runtime.h"
#include "launch/code_library.hpp"
#include "launch/configuration.hpp"
#include "launch/heap.hpp"

namespace device_code {
namespace {

CodeLibrary& library() {
  static CodeLibrary made(configuration().folder);
  return made;
}

}  // namespace

Machine& machine() {
  static Heap heap;
  static Machine made(heap);
  static const bool is_configured = (made.options = configuration().options, true);
  static_cast<void>(is_configured);
  return made;
}

std::vector<std::string> unlaunched_kernels() { return library().unused_kernels(); }

}  // namespace device_code

cudaError_t cuda_shim::launch(const cudaLaunchConfig_t& config, std::shared_ptr<const KernelCall> call) {
  using namespace device_code;
  if (!is_possible(config)) return cudaErrorInvalidConfiguration;
  const Function& kernel = library().kernel(call->kernel());
  const dim3 grid = config.gridDim, block = config.blockDim;
  machine().launch(kernel, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, call->arguments());
  if (machine().findings.all().empty()) return cudaSuccess;
  const std::string text = machine().findings.text();
  machine().findings.clear();
  throw std::runtime_error("the generated code has faults:\n" + text);
}
