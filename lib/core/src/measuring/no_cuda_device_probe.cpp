// Replaces cuda_device_probe.cpp in a build without CUDA.
#include <octavo/errors.hpp>

#include "measuring/device_probe.hpp"

namespace octavo::measuring {

DeviceProbe probe_cuda(Device device) {
  throw Unavailable("measure " + to_string(device) +
                    ": this build has no CUDA backend; build with -DOCTAVO_CUDA=ON, or use the device cpu");
}

}  // namespace octavo::measuring
