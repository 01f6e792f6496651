// Parses, lists and chooses devices.
#include <octavo/device.hpp>

#include <charconv>
#include <map>
#include <mutex>

#include <octavo/errors.hpp>

#include "backend/backend.hpp"
#include "backend/cuda_devices.hpp"
#include "backend/host_memory.hpp"
#include "kernels/cpu/gather.hpp"
#include "support/threads.hpp"

namespace octavo {

Device Device::best() { return backend::cuda_device_count() > 0 ? cuda(0) : cpu(); }

Device chosen(const std::optional<Device>& device) { return device ? *device : Device::best(); }

Device Device::parse(std::string_view text) {
  if (text == "auto") return best();
  if (text == "cpu") return cpu();
  if (text == "cuda") return cuda(0);
  if (text.starts_with("cuda:")) {
    const std::string_view digits = text.substr(5);
    int ordinal = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
    if (error == std::errc() && end == digits.data() + digits.size() && ordinal >= 0) return cuda(ordinal);
  }
  throw InvalidArgument("unknown device \"" + std::string(text) + "\"; expected auto, cpu, cuda or cuda:N");
}

std::string to_string(Device device) { return device.is_cpu() ? "cpu" : "cuda:" + std::to_string(device.ordinal()); }

std::vector<DeviceInfo> list_devices() {
  const backend::MemoryInfo memory = backend::host_memory();
  DeviceInfo cpu;
  cpu.name = backend::processor_name();
  cpu.total_bytes = memory.total_bytes;
  cpu.free_bytes = memory.free_bytes;
  cpu.details = std::to_string(available_threads()) + " threads, gathers with " + kernels::cpu::gather_target_name();
  std::vector<DeviceInfo> devices = {cpu};
  for (DeviceInfo& device : backend::list_cuda_devices()) devices.push_back(std::move(device));
  return devices;
}

std::optional<std::string> cuda_problem() {
  const auto problem = backend::find_cuda_problem();
  return problem ? std::optional(problem->text) : std::nullopt;
}

std::optional<std::string> cpu_fallback_reason() {
  const auto problem = backend::find_cuda_problem();
  return problem && problem->is_fault ? std::optional(problem->text) : std::nullopt;
}

std::vector<std::string> list_backends() {
  std::vector<std::string> names = {"cpu"};
  if (const auto cuda = backend::cuda_backend_name()) names.push_back(*cuda);
  return names;
}

namespace backend {

std::shared_ptr<Backend> make_backend(Device device) {
  static std::mutex mutex;
  static std::map<Device, std::weak_ptr<Backend>> backends;
  const std::lock_guard lock(mutex);
  std::weak_ptr<Backend>& known = backends[device];
  if (std::shared_ptr<Backend> backend = known.lock()) return backend;
  std::shared_ptr<Backend> backend = device.is_cpu() ? make_cpu_backend() : make_cuda_backend(device.ordinal());
  known = backend;
  return backend;
}

}  // namespace backend
std::string device_name(Device device) {
  if (device.is_cpu()) return backend::processor_name();
  for (const DeviceInfo& info : backend::list_cuda_devices()) {
    if (info.device == device && !info.problem) return info.name;
  }
  return to_string(device);
}

}  // namespace octavo
