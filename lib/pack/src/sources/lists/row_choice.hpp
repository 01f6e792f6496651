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

/// Whether the options select, hold out or limit samples.
bool chooses_rows(const SourceOptions& options);

/// Chooses the samples: keeps those that match options.select, moves the options.holdout share of `train` to `val`,
/// then keeps the first options.limit of each split. Throws InvalidArgument if nothing remains, if the holdout would
/// leave a split empty, has no `train` or finds an existing `val`, or if the limit or the share is invalid.
std::vector<ChosenSplit> choose_rows(const Source& source, const SourceOptions& options);

/// Whether the holdout takes a sample: XXH3-64 of `key` with `seed` is below share * 2^64. The key is the sample's path
/// relative to the source's root, or its row in the split in decimal, so that nothing else affects the choice.
bool is_held_out(std::string_view key, std::uint64_t seed, double share);

}  // namespace octavo::sources
