// The names of mask values, which the notes about samples hold.
#pragma once

#include <map>
#include <string>

#include <octavo/source_notes.hpp>

namespace octavo {

/// The names in the notes on a source, and in those of the dataset files that it reads; empty if there are none.
std::map<int, std::string> mask_class_names(const SourceNotes& notes);

}  // namespace octavo
