// Holding out whole groups of samples, such as patients.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sources/choice/row_choice.hpp"

namespace octavo::sources {

/// The group of each row of a split.
struct RowGroups {
  std::vector<std::int32_t> of_rows;  ///< numbers of `names`
  std::vector<std::string> names;     ///< some may occur in other splits only
};

/// Groups with a common image become one, which has the smallest of their names: a list can name an image several
/// times. Adds a remark if there are any.
RowGroups joined_by_images(const Source& source, const ChosenSplit& part, RowGroups groups,
                           std::vector<std::string>& remarks);

/// Rows with one holdout_key() as groups.
RowGroups groups_of_keys(const Source& source, const ChosenSplit& part);

/// For each row of `part`, whether options.holdout, a fraction or a fold, holds out its group. The share of each class,
/// and of each of multi-labels, is as near to that of all samples as whole groups allow (see balanced_parts()). Neither
/// train nor val is empty. Throws InvalidArgument if there are fewer groups than parts.
std::vector<bool> hold_out_groups(const Source& source, const ChosenSplit& part, const RowGroups& groups,
                                  const SourceOptions& options);

}  // namespace octavo::sources
