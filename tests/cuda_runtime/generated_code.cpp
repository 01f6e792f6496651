#include "generated_code.hpp"

#include <cstdlib>
#include <exception>
#include <map>
#include <string>

#include "launch/code_library.hpp"
#include "launch/configuration.hpp"
#include "machine/machine.hpp"
#include "memory.hpp"

namespace fake_cuda {
namespace {

using device_code::u64;

/// The memory of the runtime, with the exact bounds of allocations. The interpreter accesses it as kernels of the host
/// do, so the runtime sees uses of freed memory, of other devices and of unfinished work.
class RuntimeMemory : public device_code::GlobalMemory {
 public:
  device_code::MemoryObject* find(u64 address) override {
    const Allocation* const allocation = memory().find(reinterpret_cast<const void*>(address));
    if (allocation == nullptr) return nullptr;
    device_code::MemoryObject& object = objects_[allocation];
    object.begin = reinterpret_cast<u64>(allocation->begin);
    object.end = object.begin + allocation->bytes;
    return address >= object.begin && address < object.end ? &object : nullptr;
  }

  /// What is known of an allocation takes more memory than its bytes.
  void forget_freed() {
    std::erase_if(objects_, [](const auto& object) { return object.first->is_freed; });
  }

 private:
  std::map<const Allocation*, device_code::MemoryObject> objects_;
};

struct Interpreter {
  device_code::CodeLibrary library{device_code::configuration().folder};
  RuntimeMemory memory;
  device_code::Machine machine{memory};

  Interpreter() { machine.options = device_code::configuration().options; }

  /// Returns the faults, as text.
  std::string run(const cudaLaunchConfig_t& config, const cuda_shim::KernelCall& call) {
    const dim3 grid = config.gridDim, block = config.blockDim;
    memory.forget_freed();
    machine.launch(library.kernel(call.kernel()), {grid.x, grid.y, grid.z}, {block.x, block.y, block.z},
                   call.arguments());
    if (machine.findings.all().empty()) return {};
    std::string faults = machine.findings.text();
    machine.findings.clear();
    return faults;
  }
};

std::string faults_of(const cudaLaunchConfig_t& config, const cuda_shim::KernelCall& call) {
  static Interpreter interpreter;
  try {
    return interpreter.run(config, call);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

bool runs_generated_code() {
  static const bool is_chosen = std::getenv("DEVICE_CODE") != nullptr;
  return is_chosen;
}

void run_generated(const cudaLaunchConfig_t& config, const cuda_shim::KernelCall& call) {
  const std::string faults = faults_of(config, call);
  if (faults.empty()) return;
  violation("the generated code of a kernel has faults:\n" + faults + "\n    enqueued by " +
            describe(memory().running().site));
}

}  // namespace fake_cuda
