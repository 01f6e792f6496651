// The option --device.
#pragma once

#include <octavo/device.hpp>
#include <string>

namespace octavo::tools {

/// What the help says about --device.
inline constexpr const char* kDeviceHelp = "auto, cpu, cuda or cuda:N (auto)";

/// The device that --device names. For verbs that work on a device, when they run: "auto" asks CUDA for its devices.
/// Where it means the CPU because CUDA is broken or too old, one line on stderr has the reason.
/// Throws InvalidArgument for anything else than auto, cpu, cuda and cuda:N.
Device device_of_option(const std::string& text);

}  // namespace octavo::tools
