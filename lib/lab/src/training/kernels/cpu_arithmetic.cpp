// The loops of training on the CPU, compiled once per instruction set and chosen at run time (Highway).
//
// The loops use the shared bodies. The compiler vectorizes them for each set, and emits fmaf as one instruction if the
// set has it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "training/kernels/cpu_arithmetic.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/floating_point_mode.hpp"
#include "training/kernels/cpu_arithmetic.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::training {
namespace HWY_NAMESPACE {

void add_bias_here(const BiasArgs& args, std::int64_t first, std::int64_t last) {
  const float* __restrict bias = args.bias;
  const std::int64_t width = args.width;
  const bool relu = args.relu;
  for (std::int64_t b = first; b < last; ++b) {
    float* __restrict row = args.values + b * width;
    for (std::int64_t i = 0; i < width; ++i) row[i] = training::add_bias(row[i], bias[i], relu);
  }
}

void relu_gradient_here(const ReluGradientArgs& args, std::int64_t first, std::int64_t last) {
  const float* __restrict activations = args.activations;
  float* __restrict gradients = args.gradients;
  for (std::int64_t i = first; i < last; ++i) gradients[i] = training::relu_gradient(activations[i], gradients[i]);
}

void momentum_step_here(const MomentumArgs& args, std::int64_t first, std::int64_t last) {
  const MomentumArgs copy = args;  // not aliased by the stores, so that the loop can be vectorized
  for (std::int64_t i = first; i < last; ++i) training::momentum_step(copy, i);
}

}  // namespace HWY_NAMESPACE
}  // namespace octavo::training
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo::training {

HWY_EXPORT(add_bias_here);
HWY_EXPORT(relu_gradient_here);
HWY_EXPORT(momentum_step_here);

void add_bias(const BiasArgs& args, std::int64_t first, std::int64_t last) {
  const kernels::cpu::DefaultFloatingPointMode mode;
  HWY_DYNAMIC_DISPATCH(add_bias_here)(args, first, last);
}

void relu_gradient(const ReluGradientArgs& args, std::int64_t first, std::int64_t last) {
  const kernels::cpu::DefaultFloatingPointMode mode;
  HWY_DYNAMIC_DISPATCH(relu_gradient_here)(args, first, last);
}

void softmax(const SoftmaxArgs& args, std::int64_t first, std::int64_t last) {
  const kernels::cpu::DefaultFloatingPointMode mode;
  for (std::int64_t b = first; b < last; ++b) softmax_row(args, b);
}

void momentum_step(const MomentumArgs& args, std::int64_t first, std::int64_t last) {
  const kernels::cpu::DefaultFloatingPointMode mode;
  HWY_DYNAMIC_DISPATCH(momentum_step_here)(args, first, last);
}

}  // namespace octavo::training
#endif
