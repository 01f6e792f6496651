#include "loader/rows/row_provider.hpp"

#include <utility>

#include "exchange/group.hpp"

namespace octavo::loader {

std::unique_ptr<RowProvider> make_row_provider(std::shared_ptr<const store::StoredSamples> samples,
                                               const BatchOrder& order) {
  if (samples->is_resident()) return make_resident_rows(std::move(samples), order);
  if (samples->residency == Residency::window) return make_window_rows(std::move(samples), order);
  const exchange::Group* const group = samples->group.get();
  // A loader of other ranks, such as one of its own on each rank, reads what is not here from the file.
  if (group != nullptr && group->world_size() == order.options().world_size && group->rank() == order.options().rank) {
    return make_sharded_rows(std::move(samples), order);
  }
  return make_staged_rows(std::move(samples), order);
}

}  // namespace octavo::loader
