#include "loader/rows/row_provider.hpp"

#include <utility>

namespace octavo::loader {

std::unique_ptr<RowProvider> make_row_provider(std::shared_ptr<const store::StoredSamples> samples,
                                               const BatchOrder& order) {
  if (samples->is_resident()) return make_resident_rows(std::move(samples), order);
  if (samples->residency == Residency::window) return make_window_rows(std::move(samples), order);
  return make_staged_rows(std::move(samples), order);
}

}  // namespace octavo::loader
