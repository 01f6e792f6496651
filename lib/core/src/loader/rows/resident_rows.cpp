// Provides rows if all samples are on the device: nothing is staged.
#include <utility>

#include "loader/rows/row_provider.hpp"
#include "store/staging/lent_rows.hpp"

namespace octavo::loader {
namespace {

class ResidentRows final : public RowProvider {
 public:
  ResidentRows(std::shared_ptr<const store::StoredSamples> samples, const BatchOrder& order)
      : samples_(std::move(samples)), order_(order) {}

  void with_batch(std::int64_t epoch, std::int64_t step, StreamRef stream, const Use& use) override {
    const std::int64_t count = order_.part(epoch, step).count();
    if (const auto selection = order_.selection(epoch, step))
      return use(samples_->resident_samples(), *selection, count);
    if (count == 0) return;
    const store::BatchRows batch = order_.rows(epoch, step);
    const std::vector<std::int64_t> numbers = batch.numbers();
    const store::LentRows lent(*samples_->backend, numbers, stream);
    use(samples_->resident_samples(), batch.selection(lent.rows(), samples_->sample_count, epoch), count);
  }

 private:
  std::shared_ptr<const store::StoredSamples> samples_;
  BatchOrder order_;
};

}  // namespace

std::unique_ptr<RowProvider> make_resident_rows(std::shared_ptr<const store::StoredSamples> samples,
                                                const BatchOrder& order) {
  return std::make_unique<ResidentRows>(std::move(samples), order);
}

}  // namespace octavo::loader
