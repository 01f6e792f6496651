#include <octavo/residency.hpp>

#include <string>

#include <octavo/errors.hpp>

namespace octavo {

const char* to_string(Residency residency) {
  switch (residency) {
    case Residency::automatic:
      return "auto";
    case Residency::device:
      return "device";
    case Residency::hybrid:
      return "hybrid";
    case Residency::streamed:
      return "streamed";
    case Residency::window:
      return "window";
  }
  return "?";
}

Residency parse_residency(std::string_view text) {
  for (const Residency one :
       {Residency::automatic, Residency::device, Residency::hybrid, Residency::streamed, Residency::window}) {
    if (text == to_string(one)) return one;
  }
  throw InvalidArgument("unknown residency \"" + std::string(text) +
                        "\"; expected auto, device, hybrid, streamed or window");
}

}  // namespace octavo
