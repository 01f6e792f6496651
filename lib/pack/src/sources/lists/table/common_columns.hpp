// One set of columns for all sources of a split.
#pragma once

#include <memory>
#include <vector>

#include <octavo/source.hpp>

#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// Leaves out the columns that were kept automatically, if another source of the same split lacks them, and notes
/// them in the list. `others` are the other sources; null ones do not count.
void leave_out_uncommon_columns(std::vector<ImageList>& lists, const std::vector<std::unique_ptr<Source>>& others);

}  // namespace octavo::sources
