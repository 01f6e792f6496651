// Reads the names of mask values from the provenance of a dataset file.
#include <octavo/mask_shares.hpp>

#include <charconv>

#include "support/strict_json.hpp"

namespace octavo {
namespace {

/// Adds the names in the notes of a provenance, and in those of the files that it was made from. The provenance is
/// untrusted text: anything unexpected is left out.
void add_names(const Json& provenance, std::map<int, std::string>& names) {
  if (!provenance.is_object() || !provenance.contains("notes") || !provenance["notes"].is_object()) return;
  for (const auto& [key, value] : provenance["notes"].items()) {
    if (key.starts_with("made from ")) add_names(value, names);
    if (key != "mask_classes" || !value.is_object()) continue;
    for (const auto& [number, name] : value.items()) {
      int mask_value = -1;
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), mask_value);
      const bool is_value = error == std::errc() && end == number.data() + number.size() && mask_value >= 0 &&
                            mask_value <= kIgnoredMaskValue && name.is_string();
      if (is_value) names.try_emplace(mask_value, name.get<std::string>());
    }
  }
}

}  // namespace

std::map<int, std::string> mask_class_names(const Dataset& dataset) {
  std::map<int, std::string> names;
  add_names(Json::parse(dataset.provenance(), nullptr, false), names);
  return names;
}

}  // namespace octavo
