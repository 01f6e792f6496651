// Provenance notes about how images were converted.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "images/image_reader.hpp"

namespace octavo::sources {

inline const char* fit_name(Fit fit) { return fit == Fit::crop ? "crop" : fit == Fit::pad ? "pad" : "stretch"; }

/// Size, fit and filter if images were resized; channels; the background behind transparency and padding.
inline nlohmann::ordered_json conversion_notes(const images::Target& target) {
  nlohmann::ordered_json notes;
  if (target.may_resize) {
    notes["size"] = std::to_string(target.shape.height) + "x" + std::to_string(target.shape.width);
    notes["fit"] = fit_name(target.fit);
    notes["filter"] = "triangle, antialiased";
  }
  notes["channels"] = target.shape.channels;
  notes["background"] = target.background;
  notes["conversions"] = "docs/conversions.md";
  return notes;
}

}  // namespace octavo::sources
