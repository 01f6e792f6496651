// Checks that the caller's tensors match a batch.
#pragma once

#include <cstdint>

#include <octavo/batch_shape.hpp>
#include <octavo/tensor.hpp>

#include "store/spec/prepared_maps.hpp"
#include "store/stored_samples.hpp"

namespace octavo::store {

/// Throws InvalidArgument unless `images` and, if it has memory, `labels` match a batch of `batch_count` samples.
void check_batch_tensors(const StoredSamples& samples, const BatchSpec& spec, std::int64_t batch_count,
                         const TensorView& images, const TensorView& labels, const TensorView& masks);

/// Returns how labels of this kind are written to a checked tensor.
LabelTarget label_target(const TensorView& labels, LabelKind kind);

}  // namespace octavo::store
