// The initial weights of a model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "training/model_layout.hpp"

namespace octavo::training {

/// All parameters of the model, arranged as in `layout`: a pure function of the shape and the seed, the same on every
/// device. Weights are uniform with variance 2 / inputs in front of a ReLU (He et al. 2015, arXiv:1502.01852) and
/// 1 / inputs in the last layer; biases are 0.
std::vector<float> initial_weights(const ModelLayout& layout, std::uint64_t seed);

}  // namespace octavo::training
