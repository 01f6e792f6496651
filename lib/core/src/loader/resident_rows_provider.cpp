// Provides rows if all samples are on the device: nothing is staged.
#include <utility>

#include "loader/row_provider.hpp"
#include "store/lent_rows.hpp"

namespace octavo::loader {
namespace {

class ResidentRows final : public RowProvider {
 public:
  ResidentRows(std::shared_ptr<const store::StoredSamples> samples, const BatchOrder& order)
      : samples_(std::move(samples)), order_(order) {}

  void with_batch(std::int64_t epoch, std::int64_t step, StreamRef stream, const Use& use) override {
    const std::int64_t count = order_.places(step).count;
    if (const auto selection = order_.selection(epoch, step)) return use(samples_->resident_rows(), *selection, count);
    if (count == 0) return;
    store::BatchRows numbers = order_.numbers(epoch, step);
    std::vector<std::int64_t> lent_numbers = std::move(numbers.rows);
    lent_numbers.insert(lent_numbers.end(), numbers.indices.begin(), numbers.indices.end());
    const store::LentRows lent(*samples_->backend, lent_numbers, stream);
    kernels::RowSelection selection = kernels::given_rows(lent.rows(), samples_->sample_count);
    if (!numbers.indices.empty()) selection.indices = lent.rows() + count;
    selection.epoch = static_cast<std::uint64_t>(epoch);
    use(samples_->resident_rows(), selection, count);
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
