// Notes about how images were converted.
#pragma once

#include <octavo/source_notes.hpp>

#include "images/image_reader.hpp"

namespace octavo::sources {

inline const char* fit_name(Fit fit) { return fit == Fit::crop ? "crop" : fit == Fit::pad ? "pad" : "stretch"; }

inline ConversionNotes conversion_notes(const images::Target& target) {
  ConversionNotes notes{.channels = target.shape.channels, .background = target.background};
  if (target.may_resize) {
    notes.size = {target.shape.height, target.shape.width};
    notes.fit = fit_name(target.fit);
  }
  return notes;
}

}  // namespace octavo::sources
