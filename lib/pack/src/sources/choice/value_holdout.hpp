// Holding out the samples with a value in a column, such as the folds of a published list.
#pragma once

#include <vector>

#include "sources/choice/row_choice.hpp"

namespace octavo::sources {

/// For each row of `part`, whether its column holdout.column has the value holdout.value, as SampleColumn::text() shows
/// it. Throws InvalidArgument if a sample has no value, if none has this value, or if an image that a list repeats
/// would be in both splits.
std::vector<bool> hold_out_value(const Source& source, const ChosenSplit& part, const Holdout& holdout);

}  // namespace octavo::sources
