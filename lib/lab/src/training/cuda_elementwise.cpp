// The elementwise operations of training on a CUDA device.
#include "cuda/check.hpp"
#include "cuda/device_scope.hpp"
#include "training/elementwise.hpp"
#include "training/kernels/cuda_arithmetic.hpp"

namespace octavo::training {
namespace {

using cuda::check;

class CudaElementwise final : public Elementwise {
 public:
  CudaElementwise(Device device, StreamRef stream)
      : context_(cuda::primary_context(device.ordinal())), stream_(static_cast<cudaStream_t>(stream.handle())) {}

  void add_bias(const BiasArgs& args) override {
    const cuda::DeviceScope scope(context_);
    check(launch_add_bias(args, stream_), "add biases");
  }
  void relu_gradient(const ReluGradientArgs& args) override {
    const cuda::DeviceScope scope(context_);
    check(launch_relu_gradient(args, stream_), "compute the gradient of a ReLU");
  }
  void softmax(const SoftmaxArgs& args) override {
    const cuda::DeviceScope scope(context_);
    check(launch_softmax(args, stream_), "compute the losses of a batch");
  }
  void momentum_step(const MomentumArgs& args) override {
    const cuda::DeviceScope scope(context_);
    check(launch_momentum_step(args, stream_), "update the weights");
  }

 private:
  CUcontext context_;
  cudaStream_t stream_;
};

}  // namespace

std::unique_ptr<Elementwise> make_cuda_elementwise(Device device, StreamRef stream) {
  return std::make_unique<CudaElementwise>(device, stream);
}

}  // namespace octavo::training
