// The labels of all array sets of the sources, and the names of their classes.
#pragma once

#include <vector>

#include <octavo/pack.hpp>

#include "arrays/array_set.hpp"
#include "arrays/label_array.hpp"

namespace octavo::sources {

/// The labels of each set. Labels that are text are numbered together, so that a class has one number in all sets, and
/// name the classes of their sets. Names that sets offer become the class names if all labels are class numbers below
/// their number, else a remark says why not; options.class_names have priority over both.
///
/// Throws FormatError or IoError if labels cannot be read, and if a sample has no label, naming the first of them,
/// unless options.skip_unreadable.
std::vector<arrays::LabelTable> read_labels_of(std::vector<arrays::ArraySet>& sets, const SourceOptions& options);

}  // namespace octavo::sources
