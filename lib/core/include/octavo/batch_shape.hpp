// The shape of the batches that a BatchSpec makes. Everything that needs to know asks here.
#pragma once

#include <cstdint>
#include <vector>

#include <octavo/batch_spec.hpp>
#include <octavo/sample.hpp>
#include <octavo/shapes.hpp>

namespace octavo {

/// The shape of the batches that `spec` makes from samples of `sample`.
BatchShape batch_shape(const BatchSpec& spec, const SampleShape& sample);

/// The labels of the batches that `spec` makes from samples with labels of `stored`.
LabelLayout batch_labels(const BatchSpec& spec, const LabelLayout& stored);

/// The axes of a tensor of the labels of `batch_count` samples: [B] for class numbers and single targets,
/// else [B,K].
std::vector<std::int64_t> label_axes(const LabelLayout& labels, std::int64_t batch_count);

}  // namespace octavo
