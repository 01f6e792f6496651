// The position of a graph loader: which batch comes next, in memory of the device.
#pragma once

#include <cstdint>
#include <memory>

#include <octavo/tensor.hpp>

#include "backend/backend.hpp"
#include "kernels/row_selection.hpp"
#include "kernels/sample_selection.hpp"
#include "loader/batch_order.hpp"

namespace octavo::loader {

class GraphPosition {
 public:
  virtual ~GraphPosition() = default;

  /// The samples of the next launch, for one PreparedMaps::gather() on `stream`. After both, the position has advanced.
  virtual kernels::RowSelection select(StreamRef stream) = 0;
  /// Waits for `stream`.
  virtual void seek(kernels::BatchNumber batch, StreamRef stream) = 0;
  virtual kernels::BatchNumber next(StreamRef stream) const = 0;
};

/// A position at the first batch of epoch 0, for launches of `batches_per_launch` batches. Throws InvalidArgument for
/// sampling that a device cannot compute.
std::unique_ptr<GraphPosition> make_graph_position(std::shared_ptr<backend::Backend> backend, const BatchOrder& order,
                                                   std::int64_t split_samples, std::int64_t batches_per_launch);

}  // namespace octavo::loader
