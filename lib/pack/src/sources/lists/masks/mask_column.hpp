// The column of an image list that names masks.
#pragma once

#include <cstddef>

#include "sources/lists/table/list_columns.hpp"
#include "sources/lists/table/listed_file.hpp"
#include "sources/lists/table/table_rows.hpp"

namespace octavo::sources {

/// The column that names masks: one with a usual name, such as "mask", that `named` does not name for the labels. If
/// there is none, a column that `named` names for the labels, that has a usual name for labels, or that has a word for
/// masks in its name, if its cells name image files, and some of the first exist below the folder of the list.
MaskColumn find_mask_column(const Table& table, const ListedFiles& masks, std::ptrdiff_t path_column,
                            const NamedColumns& named);

}  // namespace octavo::sources
