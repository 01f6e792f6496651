#include "options/device_option.hpp"

#include <iostream>

namespace octavo::tools {

Device device_of_option(const std::string& text) {
  const Device device = Device::parse(text);
  if (text != "auto" || !device.is_cpu()) return device;
  if (const auto reason = cpu_fallback_reason()) {
    std::cerr << "octavo: note: --device auto uses the CPU: " << *reason << std::endl;
  }
  return device;
}

}  // namespace octavo::tools
