// What quantizing a source lost, as notes and as the error that refuses it.
#pragma once

#include <string>
#include <vector>

#include <octavo/source.hpp>
#include <octavo/source_notes.hpp>

namespace octavo::packing {

/// A sentence on each split that lost something. `found` is source.notes(), after all samples have been read.
std::vector<std::string> loss_notes(const SourceNotes& found, const Source& source);

/// Throws DataError if a split keeps fewer than 16 levels of numbers that have more values, or if its range leaves out
/// most numbers.
void check_loss(const SourceNotes& found, const Source& source);

}  // namespace octavo::packing
