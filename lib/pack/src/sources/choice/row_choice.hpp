// Choosing the samples to pack and their splits: --select, --holdout, --group-by and --limit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <octavo/pack.hpp>

namespace octavo::sources {

/// A split made of some rows of a source split, in ascending order.
struct ChosenSplit {
  std::string name;
  std::size_t source_split = 0;
  std::vector<std::int64_t> rows;
};

struct RowChoice {
  std::vector<ChosenSplit> splits;
  std::vector<std::string>
      remarks;  ///< what the holdout achieved, what was not checked, and classes that the limit drops
};

/// The name of a class, or its number if classes have no names.
std::string class_text(const Source& source, std::int32_t label);

/// Whether a sample matches options.select; all match the empty pattern.
bool is_selected(const Source& source, std::size_t split, std::int64_t row, const std::string& pattern);

/// Whether the options select, hold out, group or limit samples.
bool chooses_rows(const SourceOptions& options);

/// The columns of samples that the choice reads: that of options.group_by, that of options.holdout.
std::vector<std::string> columns_for_choice(const SourceOptions& options);

/// Chooses the samples: keeps those that match options.select, moves options.holdout of `train` to `val`, checks that
/// no group of options.group_by is in two splits, then keeps the first options.limit of each split. Throws
/// InvalidArgument if nothing remains, if the holdout would leave a split empty, has no `train` or finds an existing
/// `val`, if a group is missing or in two splits, or if the limit or the holdout is invalid.
RowChoice choose_rows(const Source& source, const SourceOptions& options);

}  // namespace octavo::sources
