// Stands in for cuda_elementwise.cpp in a build without CUDA.
#include <octavo/errors.hpp>

#include "training/elementwise.hpp"

namespace octavo::training {

std::unique_ptr<Elementwise> make_cuda_elementwise(Device device, StreamRef) {
  throw Unavailable("train on " + to_string(device) +
                    ": this build has no CUDA backend; build with -DOCTAVO_CUDA=ON, or use the device cpu");
}

}  // namespace octavo::training
