// Notes on what is not packed of image lists, and on how they were understood.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "images/oddities.hpp"
#include "sources/lists/image_list.hpp"

namespace octavo::sources {

// `list` is the file name of the list.

/// On the columns that hold the labels, or that none does, if no column has the name of a label column. `are_classes`:
/// they are whole numbers in one column.
std::string remark_on_labels(const std::string& list, const std::vector<std::string>& columns,
                             const std::vector<std::string>& label_columns, bool are_classes);

/// On labels of several numbers that are all -1 and 1, as in CelebA.
std::string remark_on_signs(const std::string& list);

/// On the column that holds the paths, if its name did not decide.
std::string remark_on_paths(const std::string& list, const std::string& column);

/// On the column of masks, if its files decided. `are_packed`: masks are packed.
std::string remark_on_masks(const std::string& list, const std::string& column, bool are_packed);

/// On the column of splits, because the user names the split of all images.
std::string remark_on_split(const std::string& list, const std::string& column, const std::string& split);

/// On the columns that are kept although the options do not name them; nothing if there are none. `label_column` is the
/// column of labels if others could be meant, else empty. Without labels, the columns `may_be_labels`.
std::optional<std::string> remark_on_kept(const std::string& list, const std::vector<std::string>& columns,
                                          const std::string& label_column, bool may_be_labels);

/// On the columns of a split that are left out, because not all of its sources have them.
std::string remark_on_uncommon(const std::string& split, const std::vector<std::string>& columns);

/// On the columns that are not packed; nothing if there are none.
std::optional<std::string> remark_on_left_out(const std::string& list, const std::vector<std::string>& columns);

/// On the columns that are kept because the choice of samples reads them; nothing if there are none.
std::optional<std::string> remark_on_needed(const std::string& list, const std::vector<std::string>& columns);

/// On the keys of JSON lines that the first line lacks; nothing if there are none.
std::optional<std::string> remark_on_late(const std::string& list, const std::vector<std::string>& keys);

/// On the images with oddities, which are [split][image]: for each kind, how many there are, and the first in order.
std::vector<std::string> remarks_on_oddities(const ImageList& contents,
                                             std::span<const std::vector<images::Oddities>> oddities);

}  // namespace octavo::sources
