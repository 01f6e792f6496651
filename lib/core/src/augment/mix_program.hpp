// Turns the mixing of samples and the softening of labels into what kernels read.
#pragma once

#include <cstddef>

#include <octavo/batch_spec.hpp>
#include <octavo/sample.hpp>

#include "kernels/augment/mixing.hpp"

namespace octavo::augment {

/// How batches of spec.mix are mixed. Throws InvalidArgument, naming the argument.
kernels::MixProgram make_mix(const BatchSpec& spec);

/// The probabilities that labels become, if the file has `class_count` class names (0: none). Throws InvalidArgument,
/// naming the argument.
kernels::SoftLabels make_soft_labels(const BatchSpec& spec, const LabelLayout& labels, std::size_t class_count);

}  // namespace octavo::augment
