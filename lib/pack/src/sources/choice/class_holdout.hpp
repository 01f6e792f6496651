// Holding out the same share of each class.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sources/choice/row_choice.hpp"

namespace octavo::sources {

/// For each row of `part`, whether options.holdout, a fraction or a fold, holds it out. Rows with one key stay
/// together, so that no image is in two splits; they count as one sample of the class of the first of them.
///
/// A fraction takes from each class as many samples as stratified_counts() returns: those with the smallest hashes. A
/// fold of n takes every n-th sample, ordered by class and hash: its samples, and its samples of each class, differ by
/// at most one from those of another fold. Throws InvalidArgument if there are more folds than samples.
std::vector<bool> hold_out_of_classes(const Source& source, const ChosenSplit& part, const SourceOptions& options);

/// How many samples the holdout takes from each class, given the sizes of the classes: share * size, rounded down; then
/// one more from the classes with the largest remainders, until the sum is the share of all samples, rounded. Never
/// takes the last sample of a class.
std::vector<std::int64_t> stratified_counts(const std::vector<std::int64_t>& sizes, double share);

/// XXH3-64 of `key` with `seed`.
std::uint64_t holdout_hash(std::string_view key, std::uint64_t seed);

/// The key of a sample, which decides whether it is held out: its path relative to the source's root, or its row in the
/// split in decimal.
std::string holdout_key(const Source& source, std::size_t split, std::int64_t row);

}  // namespace octavo::sources
