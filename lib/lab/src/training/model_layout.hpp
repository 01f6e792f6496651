// Where everything of a model stands in its one block of device memory.
#pragma once

#include <cstdint>
#include <vector>

#include <octavo/train.hpp>

namespace octavo::training {

/// What kind of model, and how wide.
struct ModelShape {
  ModelKind kind = ModelKind::mlp;
  std::int64_t input_count = 0;   ///< D
  std::int64_t hidden_units = 0;  ///< H, of the mlp
  std::int64_t class_count = 0;   ///< K
};

/// Places and counts are in floats; each place is a multiple of 64 (256 bytes), as cuBLAS likes it.
struct ModelLayout {
  /// out = in W + b, with a ReLU behind all but the last. W [inputs, outputs] and b [outputs] stand at the same places
  /// in weights, gradients and velocities.
  struct Layer {
    std::int64_t inputs;
    std::int64_t outputs;
    std::int64_t weights;          ///< among the parameters
    std::int64_t bias;             ///< among the parameters
    std::int64_t outputs_place;    ///< [B, outputs], in the block
    std::int64_t gradients_place;  ///< [B, outputs], of the loss by the outputs, in the block
  };
  std::vector<Layer> layers;
  std::int64_t parameter_count = 0;  ///< with the gaps between them, which stay zero
  std::int64_t weights = 0;          ///< [parameter_count]
  std::int64_t gradients = 0;        ///< [parameter_count]
  std::int64_t velocities = 0;       ///< [parameter_count]
  std::int64_t ones = 0;             ///< [B] ones, for the sums of columns
  std::int64_t total_count = 0;      ///< of the block

  std::int64_t bytes() const { return total_count * 4; }
};

/// Lays out a model for batches of at most `largest_batch` samples.
ModelLayout layout_model(const ModelShape& shape, std::int64_t largest_batch);

}  // namespace octavo::training
