// Devices that hold data: the CPU, and CUDA devices if this build and this machine have any.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace octavo {

enum class DeviceKind { cpu, cuda };

/// Identifies a device. A value type that owns no resources.
class Device {
 public:
  static constexpr Device cpu() { return Device(DeviceKind::cpu, 0); }
  /// CUDA device number `ordinal`. Does not check that the device exists; the first use does.
  static constexpr Device cuda(int ordinal = 0) { return Device(DeviceKind::cuda, ordinal); }
  /// Returns cuda:0 if CUDA finds a device, else the CPU. Queries the device count but initializes no device.
  static Device best();
  /// Parses "auto" (the same as best()), "cpu", "cuda" or "cuda:N". Throws InvalidArgument for anything else.
  static Device parse(std::string_view text);

  constexpr DeviceKind kind() const { return kind_; }
  constexpr int ordinal() const { return ordinal_; }
  constexpr bool is_cpu() const { return kind_ == DeviceKind::cpu; }
  auto operator<=>(const Device&) const = default;

 private:
  constexpr Device(DeviceKind kind, int ordinal) : kind_(kind), ordinal_(ordinal) {}
  DeviceKind kind_;
  int ordinal_;
};

/// "cpu" or "cuda:0".
std::string to_string(Device device);

/// Returns `device`, or Device::best() if it is empty. Resolves the optional `device` in option structs.
Device chosen(const std::optional<Device>& device);

/// Describes a device of this machine.
struct DeviceInfo {
  Device device = Device::cpu();
  std::string name;                             ///< name of the processor
  std::int64_t total_bytes = 0;                 ///< size of its memory
  std::optional<std::int64_t> free_bytes = {};  ///< available to an allocation now. CPU: limited by the control group.
                                                ///< CUDA: known only for devices that this process already uses
  std::string details;                      ///< instruction set and threads, or compute capability and multiprocessors
  std::optional<std::string> problem = {};  ///< what is wrong and what to do. If set, only `device` is known
};

/// Lists the devices of this machine that this build supports, the CPU first. Creates no CUDA context, so the free
/// memory of a CUDA device is unknown until the process uses the device.
std::vector<DeviceInfo> list_devices();

/// Returns why no CUDA device is usable, such as "the NVIDIA driver supports CUDA 12.2 and this build needs 13.0;
/// update the driver or install a build for CUDA 12", or nothing if one is. Checks again at each call. Creates no
/// context.
std::optional<std::string> cuda_problem();

/// Returns the cuda_problem() that a user of Device::best() should see: the driver is too old or does not work, or this
/// process was forked from one that uses CUDA. Returns nothing if best() is a CUDA device, or if the CPU is the
/// expected choice: there is no driver or no device, or this build has no CUDA backend.
std::optional<std::string> cpu_fallback_reason();

/// Returns the processor's name as in list_devices(), or to_string(device) if the device does not exist.
std::string device_name(Device device);

/// Lists the backends in this build, such as {"cpu", "cuda (toolkit 13.0)"}.
std::vector<std::string> list_backends();

/// Refers to a stream without owning it; on CUDA a cudaStream_t. Null is the device's default stream: the legacy
/// default stream on CUDA. On the CPU it is the only stream, and work runs synchronously in the calling thread.
class StreamRef {
 public:
  constexpr StreamRef() = default;
  /// Wraps the caller's cudaStream_t.
  constexpr explicit StreamRef(void* handle) : handle_(handle) {}
  constexpr void* handle() const { return handle_; }

 private:
  void* handle_ = nullptr;
};

}  // namespace octavo
