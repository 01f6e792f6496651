// The places where data can live: the CPU, and CUDA devices if this build and this machine have any.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace octavo {

enum class DeviceKind { cpu, cuda };

/// Names a device; a value, which owns nothing.
class Device {
 public:
  static constexpr Device cpu() { return Device(DeviceKind::cpu, 0); }
  /// CUDA device number `ordinal`; whether it exists shows when it is used.
  static constexpr Device cuda(int ordinal = 0) { return Device(DeviceKind::cuda, ordinal); }
  /// cuda:0 if CUDA finds a device, else the CPU. Asks CUDA how many devices there are; uses none of them.
  static Device best();
  /// "auto" (as best()), "cpu", "cuda" or "cuda:N". Throws InvalidArgument for anything else.
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

/// `device`, or Device::best() without one: what a function does with the option `device` before all else.
Device chosen(const std::optional<Device>& device);

/// A device of this machine.
struct DeviceInfo {
  Device device = Device::cpu();
  std::string name;                             ///< of the processor
  std::int64_t total_bytes = 0;                 ///< of its memory
  std::optional<std::int64_t> free_bytes = {};  ///< that an allocation could have now (CPU: also by the control
                                                ///< group's limit); CUDA: only of a device that this process uses
  std::string details;  ///< instruction set and threads, or compute capability and multiprocessors
  std::optional<std::string> problem = {};  ///< what is wrong with it, and what to do; then only `device` is known
};

/// The devices of this machine that this build can use; the CPU first. Creates no CUDA context: the memory that a CUDA
/// device has free is unknown until the process uses the device.
std::vector<DeviceInfo> list_devices();

/// Why no CUDA device is usable, such as "the NVIDIA driver supports CUDA 12.2 and this build needs 13.0; update the
/// driver or install a build for CUDA 12"; nothing if there is one. Asked again at each call; creates no context.
std::optional<std::string> cuda_problem();

/// The cuda_problem() that a user of Device::best() has to hear of: a driver that is too old or does not work, or a
/// process that was forked from one that uses CUDA. Nothing if best() is a CUDA device, and nothing on a machine
/// without a driver or a device, or in a build without CUDA, where the CPU is no surprise.
std::optional<std::string> cpu_fallback_reason();

/// The processor's name, as list_devices() gives it; to_string(device) if there is no such device.
std::string device_name(Device device);

/// The backends in this build, such as {"cpu", "cuda (toolkit 13.0)"}.
std::vector<std::string> list_backends();

/// A stream that somebody else owns: on CUDA a cudaStream_t. Null is the device's default: on CUDA the legacy default stream, on
/// the CPU, which has no other, the calling thread itself, at once.
class StreamRef {
 public:
  constexpr StreamRef() = default;
  /// A caller's own cudaStream_t, passed as the pointer that it is.
  constexpr explicit StreamRef(void* handle) : handle_(handle) {}
  constexpr void* handle() const { return handle_; }

 private:
  void* handle_ = nullptr;
};

}  // namespace octavo
