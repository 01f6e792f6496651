// The places where data can live: the CPU, and CUDA devices if this build and this machine have any.
#pragma once

#include <compare>
#include <cstdint>
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
  /// cuda:0 if this build and this machine have it, else the CPU.
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

/// A device of this machine.
struct DeviceInfo {
  Device device = Device::cpu();
  std::string name;              ///< of the processor
  std::int64_t total_bytes = 0;  ///< of its memory
  std::int64_t free_bytes = 0;   ///< that an allocation could have now (CPU: also by the control group's limit)
  std::string details;           ///< instruction set and threads, or compute capability and multiprocessors
};

/// The devices of this machine that this build can use; the CPU first.
std::vector<DeviceInfo> list_devices();

/// The processor's name, as list_devices() gives it; to_string(device) if there is no such device.
std::string device_name(Device device);

/// The back ends in this build, such as {"cpu", "cuda (toolkit 13.0)"}.
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
