// The option --device.
#pragma once

#include <octavo/device.hpp>
#include <string>

namespace octavo::tools {

/// The help text of --device.
inline constexpr const char* kDeviceHelp = "auto, cpu, cuda or cuda:N (auto)";

/// The device that --device names. Call it only when a verb runs and needs a device: "auto" initializes CUDA. If "auto"
/// falls back to the CPU because CUDA is broken or too old, prints the reason to stderr as one line.
/// Throws InvalidArgument for anything but auto, cpu, cuda and cuda:N.
Device device_of_option(const std::string& text);

}  // namespace octavo::tools
