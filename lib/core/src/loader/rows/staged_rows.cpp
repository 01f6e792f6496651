// Provides rows if some or no samples are on the device: reads the others from the file for each batch.
#include <mutex>
#include <utility>

#include "loader/rows/row_provider.hpp"
#include "loader/rows/staging_ring.hpp"

namespace octavo::loader {
namespace {

class StagedRows final : public RowProvider {
 public:
  StagedRows(std::shared_ptr<const store::StoredSamples> samples, const BatchOrder& order)
      : ring_(samples,
              {[order](std::int64_t epoch) { return order.batches_per_epoch(epoch); }, order.largest_count(),
               order.largest_count() * samples->rows_in_source.largest_bytes(),
               order.largest_count() * samples->masks_in_source.largest_bytes(),
               [order](StagedPart batch) { return order.rows(batch.epoch, batch.number); }},
              1, 1 + order.options().prefetch, order.options().prefetch > 0) {}

  void with_batch(std::int64_t epoch, std::int64_t step, StreamRef stream, const Use& use) override {
    const std::lock_guard lock(mutex_);
    const StagedPart batch{epoch, step};
    store::StagingSlot& slot = ring_.acquire(batch);
    try {
      slot.use(stream, [&] { use(slot.samples(), slot.selection(epoch), slot.batch_count()); });
    } catch (...) {
      ring_.release(batch);
      throw;
    }
    ring_.release(batch);
  }
  std::int64_t device_bytes() const override { return ring_.device_bytes(); }
  int depth() const override { return ring_.depth(); }

 private:
  std::mutex mutex_;
  StagingRing ring_;
};

}  // namespace

std::unique_ptr<RowProvider> make_staged_rows(std::shared_ptr<const store::StoredSamples> samples,
                                              const BatchOrder& order) {
  return std::make_unique<StagedRows>(std::move(samples), order);
}

}  // namespace octavo::loader
