// Makes the samples of a batch available to a gather.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "kernels/packed_rows.hpp"
#include "kernels/row_selection.hpp"
#include "loader/batch_order.hpp"
#include "store/stored_samples.hpp"

namespace octavo::loader {

/// One implementation per residency. Thread-safe; calls are serialized.
class RowProvider {
 public:
  /// Enqueues work once the samples of a batch are available: a gather of `batch_count` samples.
  using Use = std::function<void(const kernels::PackedSamples& samples, const kernels::RowSelection& selection,
                                 std::int64_t batch_count)>;

  virtual ~RowProvider() = default;

  /// Provides this rank's samples of batch `step` of `epoch` and calls use(), which enqueues the work that needs them
  /// on `stream`. Does not call it if this rank has no part in the batch. Throws the errors of reading.
  virtual void with_batch(std::int64_t epoch, std::int64_t step, StreamRef stream, const Use& use) = 0;
  /// Bytes on the device in addition to the store's.
  virtual std::int64_t device_bytes() const { return 0; }
  /// Number of batches that the provider reads ahead; 0 if it does not read any.
  virtual int depth() const { return 0; }
};

/// Makes the provider for these samples and this order. Throws InvalidArgument if their residency cannot serve the
/// order, or OutOfMemory.
std::unique_ptr<RowProvider> make_row_provider(std::shared_ptr<const store::StoredSamples> samples,
                                               const BatchOrder& order);

std::unique_ptr<RowProvider> make_resident_rows(std::shared_ptr<const store::StoredSamples> samples,
                                                const BatchOrder& order);
/// For `hybrid` and `streamed`.
std::unique_ptr<RowProvider> make_staged_rows(std::shared_ptr<const store::StoredSamples> samples,
                                              const BatchOrder& order);
std::unique_ptr<RowProvider> make_sharded_rows(std::shared_ptr<const store::StoredSamples> samples,
                                               const BatchOrder& order);
std::unique_ptr<RowProvider> make_window_rows(std::shared_ptr<const store::StoredSamples> samples,
                                              const BatchOrder& order);

}  // namespace octavo::loader
