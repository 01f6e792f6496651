// Choosing the samples to pack and their splits: --select, --holdout and --limit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/pack.hpp>

namespace octavo::sources {

/// A split made of some rows of a source split, in ascending order.
struct ChosenSplit {
  std::string name;
  std::size_t source_split = 0;
  std::vector<std::int64_t> rows;
};

/// Whether a sample matches options.select; all match the empty pattern.
bool is_selected(const Source& source, std::size_t split, std::int64_t row, const std::string& pattern);

/// Whether the options select, hold out or limit samples.
bool chooses_rows(const SourceOptions& options);

/// Chooses the samples: keeps those that match options.select, moves the options.holdout share of `train` to `val`,
/// then keeps the first options.limit of each split. Throws InvalidArgument if nothing remains, if the holdout would
/// leave a split empty, has no `train` or finds an existing `val`, or if the limit or the share is invalid.
std::vector<ChosenSplit> choose_rows(const Source& source, const SourceOptions& options);

/// How many samples the holdout takes from each class, given the sizes of the classes: share * size, rounded down; then
/// one more from the classes with the largest remainders, until the sum is the share of all samples, rounded. Never
/// takes the last sample of a class.
std::vector<std::int64_t> stratified_counts(const std::vector<std::int64_t>& sizes, double share);

/// XXH3-64 of `key` with `seed`. The holdout takes the samples of a class with the smallest hashes; samples with one
/// key stay together, as one sample of the class of the first. The key is the sample's path relative to the source's
/// root, or its row in the split in decimal.
std::uint64_t holdout_hash(std::string_view key, std::uint64_t seed);

}  // namespace octavo::sources
