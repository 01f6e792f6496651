// Turns the operations of an augmentation into the program that kernels read.
#pragma once

#include <octavo/batch_spec.hpp>
#include <octavo/sample.hpp>

#include "kernels/augment/mixing.hpp"
#include "kernels/augment/program.hpp"

namespace octavo::store {

/// The program of spec.augment for samples of `shape`. Throws InvalidArgument, naming the operation, if one is invalid
/// or does not fit the images.
kernels::AugmentProgram make_program(const BatchSpec& spec, const SampleShape& shape);

/// How batches of spec.mix are mixed. Throws InvalidArgument, naming the argument.
kernels::MixProgram make_mix(const BatchSpec& spec);

/// The probabilities that labels become, if the file has `class_count` class names (0: none). Throws InvalidArgument,
/// naming the argument.
kernels::SoftLabels make_soft_labels(const BatchSpec& spec, const LabelLayout& labels, std::size_t class_count);

}  // namespace octavo::store
