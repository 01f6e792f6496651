#include <octavo/measurements.hpp>

#include "support/text/text_units.hpp"

namespace octavo {

std::string describe_fraction(const GatherSpeed& speed) {
  if (!speed.is_noisy()) return formatted("%.0f %% of the speed of a memory copy", 100 * speed.fraction_of_copy);
  return formatted("between %.0f %% and %.0f %% of the speed of a memory copy (noisy)", 100 * speed.lowest_fraction,
                   100 * speed.highest_fraction);
}

}  // namespace octavo
