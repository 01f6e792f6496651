// What quantizing a split lost, as the provenance of its dataset file records it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <octavo/source_notes.hpp>

#include "support/strict_json.hpp"

namespace octavo::sources {

/// The notes on `split`, which has `sample_count` samples; nothing if there are none, or if nothing was quantized. The
/// provenance is untrusted text: fields of other types are left out. There are no worst samples unless their rows are
/// those of the split.
std::optional<QuantizationNotes> recorded_loss(const Json& provenance, const std::string& split,
                                               std::int64_t sample_count);

}  // namespace octavo::sources
