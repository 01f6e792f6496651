// The layout of a model in its one block of device memory.
#pragma once

#include <cstdint>
#include <vector>

#include <octavo/train.hpp>

namespace octavo::training {

/// The kind and sizes of a model.
struct ModelShape {
  ModelKind kind = ModelKind::mlp;
  std::int64_t input_count = 0;   ///< D
  std::int64_t hidden_units = 0;  ///< H, of the MLP
  std::int64_t class_count = 0;   ///< K
};

/// Offsets and counts are in floats; each offset is a multiple of 64 (256 bytes), which suits cuBLAS.
struct ModelLayout {
  /// out = in W + b, with a ReLU after all but the last. W [inputs, outputs] and b [outputs] have the same offsets in
  /// weights, gradients and velocities.
  struct Layer {
    std::int64_t inputs;
    std::int64_t outputs;
    std::int64_t weights;          ///< among the parameters
    std::int64_t bias;             ///< among the parameters
    std::int64_t outputs_place;    ///< [B, outputs], in the block
    std::int64_t gradients_place;  ///< [B, outputs], of the loss by the outputs, in the block
  };
  std::vector<Layer> layers;
  std::int64_t parameter_count = 0;  ///< including the gaps between them, which stay zero
  std::int64_t weights = 0;          ///< [parameter_count]
  std::int64_t gradients = 0;        ///< [parameter_count]
  std::int64_t velocities = 0;       ///< [parameter_count]
  std::int64_t ones = 0;             ///< [B] ones, for column sums
  std::int64_t total_count = 0;      ///< of the block

  std::int64_t bytes() const { return total_count * 4; }
};

/// Lays out a model for batches of at most `largest_batch` samples.
ModelLayout layout_model(const ModelShape& shape, std::int64_t largest_batch);

}  // namespace octavo::training
