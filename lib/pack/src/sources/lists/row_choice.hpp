// Which samples of a source are packed, and as which split: --select, --holdout and --limit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/pack.hpp>

namespace octavo::sources {

/// A split made of some rows of a source's split, ascending.
struct ChosenSplit {
  std::string name;
  std::size_t source_split = 0;
  std::vector<std::int64_t> rows;
};

/// Whether the options ask for anything but all samples as they are.
bool chooses_rows(const SourceOptions& options);

/// The samples that options.select keeps, `val` parted from `train` by options.holdout, then the first options.limit of
/// each split. Throws InvalidArgument if a split would be empty, if there is nothing to hold out from or `val` is there
/// already, or if the limit or the share make no sense.
std::vector<ChosenSplit> choose_rows(const Source& source, const SourceOptions& options);

/// Whether the holdout takes a sample: XXH3-64 of `key` with `seed` is below share * 2^64. The key is the sample's path
/// below the source's root, or its row in the split in decimal, so that the choice does not depend on anything else.
bool is_held_out(std::string_view key, std::uint64_t seed, double share);

}  // namespace octavo::sources
