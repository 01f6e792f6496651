// Which of several lists, that the user names or that are in folders of splits, have no labels.
#pragma once

#include <vector>

#include "sources/lists/table/list_columns.hpp"
#include "sources/source_entry.hpp"

namespace octavo::sources {

/// Marks the lists without a column of labels or masks, with a remark, if others have one: "test=test.csv" next to
/// "train=train.csv". Lists of the split train stay as they are, since their labels must not be lost.
void mark_unlabeled_lists(std::vector<SourceEntry>& entries, const NamedColumns& named);

}  // namespace octavo::sources
