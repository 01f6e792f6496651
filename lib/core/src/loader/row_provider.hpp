// How the samples of a batch are brought to where a gather can read them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "loader/batch_order.hpp"
#include "kernels/packed_rows.hpp"
#include "kernels/row_selection.hpp"
#include "store/stored_samples.hpp"

namespace octavo::loader {

/// One for each residency. Calls from several threads take turns.
class RowProvider {
 public:
  /// What is to be enqueued once the samples of a batch are there: a gather of `batch_count` of them.
  using Use = std::function<void(const kernels::PackedRows& packed, const kernels::RowSelection& selection,
                                 std::int64_t batch_count)>;

  virtual ~RowProvider() = default;

  /// Calls use() once, or not at all if this rank has no part in the batch; it enqueues on `stream` what needs the
  /// samples of this rank's part of batch `step` of `epoch`. Throws what reading them throws.
  virtual void with_batch(std::int64_t epoch, std::int64_t step, StreamRef stream, const Use& use) = 0;
  /// Bytes on the device beside the store's.
  virtual std::int64_t device_bytes() const { return 0; }
  /// Batches that it prepares ahead by itself; 0 if it has none to prepare.
  virtual int depth() const { return 0; }
};

/// The feed for these samples and this order. Throws InvalidArgument if the order cannot be served from their
/// residency, OutOfMemory.
std::unique_ptr<RowProvider> make_row_provider(std::shared_ptr<const store::StoredSamples> samples, const BatchOrder& order);

std::unique_ptr<RowProvider> make_resident_feed(std::shared_ptr<const store::StoredSamples> samples,
                                            const BatchOrder& order);
/// For `hybrid` and `streamed`.
std::unique_ptr<RowProvider> make_staged_feed(std::shared_ptr<const store::StoredSamples> samples, const BatchOrder& order);
std::unique_ptr<RowProvider> make_window_feed(std::shared_ptr<const store::StoredSamples> samples, const BatchOrder& order);

}  // namespace octavo::loader
