#include <octavo/residency.hpp>

#include <string>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

namespace octavo {

Residency parse_residency(std::string_view text) {
  for (const ResidencyInfo& info : kResidencies) {
    if (text == info.name) return info.residency;
  }
  throw InvalidArgument("unknown residency \"" + std::string(text) + "\"; expected " +
                        either_of(names_of(kResidencies)));
}

}  // namespace octavo
