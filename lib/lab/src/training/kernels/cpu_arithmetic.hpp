// The arithmetic of training on the CPU: a range of rows or numbers, on the calling thread.
#pragma once

#include "training/kernels/arithmetic.hpp"

namespace octavo::training {

/// Rows [first, last). Here and below, different threads may process different ranges concurrently.
void add_bias(const BiasArgs& args, std::int64_t first, std::int64_t last);

/// Numbers [first, last).
void relu_gradient(const ReluGradientArgs& args, std::int64_t first, std::int64_t last);

/// Rows [first, last).
void softmax(const SoftmaxArgs& args, std::int64_t first, std::int64_t last);

/// Numbers [first, last). The instruction set is chosen at run time; every choice gives the same bits.
void momentum_step(const MomentumArgs& args, std::int64_t first, std::int64_t last);

}  // namespace octavo::training
