#include <string>

#include <octavo/augment.hpp>

#include "augment/parameter_text.hpp"

namespace octavo {

std::string augment::describe(const Operations& operations) {
  std::string text;
  for (const Operation& operation : operations) {
    text += text.empty() ? "" : ", ";
    text += std::visit([](const auto& given) { return struct_text(given); }, operation);
  }
  return text;
}

std::string augment::describe_mix(const Mix& mix) { return struct_text(mix); }

}  // namespace octavo
