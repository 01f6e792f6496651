// Turns the operations of an augmentation into the program that kernels read.
#pragma once

#include <octavo/batch_spec.hpp>
#include <octavo/sample.hpp>

#include "kernels/augment/program.hpp"

namespace octavo::augment {

/// The program of spec.augment for samples of `shape`. Throws InvalidArgument, naming the operation, if one is invalid
/// or does not fit the images.
kernels::AugmentProgram make_program(const BatchSpec& spec, const SampleShape& shape);

}  // namespace octavo::augment
