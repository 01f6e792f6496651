#include "masks/mask_class_names.hpp"

#include <charconv>

#include <octavo/mask_shares.hpp>

#include "support/strict_json.hpp"

namespace octavo {
namespace {

/// Adds the names in notes, and in those of the files that their samples were made from. The notes are untrusted text:
/// anything unexpected is left out.
void add_names(const Json& notes, std::map<int, std::string>& names) {
  if (!notes.is_object()) return;
  for (const auto& [key, value] : notes.items()) {
    if (key.starts_with("made from ") && value.is_object() && value.contains("notes")) add_names(value["notes"], names);
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
  const Json provenance = Json::parse(dataset.provenance(), nullptr, false);
  std::map<int, std::string> names;
  if (provenance.is_object() && provenance.contains("notes")) add_names(provenance["notes"], names);
  return names;
}

std::map<int, std::string> mask_class_names(const SourceNotes& notes) {
  std::map<int, std::string> names;
  add_names(Json::parse(to_json(notes)), names);
  return names;
}

}  // namespace octavo
