// The class names of image lists: their order, and one numbering for all lists of a packing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <octavo/pack.hpp>

#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// Sorts names in byte order, or with the numbers in them compared by value.
void sort_class_names(std::vector<std::string>& names, ClassOrder order);

/// Numbers the classes of all lists whose classes have names, and are_classes_sorted, in one order, so that it does not
/// depend on the order of the lists. Of multi-labels, only tags are renumbered; lists of tags that are class numbers
/// get as many classes as the longest.
void unite_classes(std::vector<ImageList>& lists, ClassOrder order);

/// On classes whose names differ only in case, which may be one; nothing if there are none.
std::optional<std::string> remark_on_case(const std::vector<ImageList>& lists);

/// On class numbers without names that do not begin at 0; nothing if they do. `wanted` is the kind that the user names.
std::optional<std::string> remark_on_first_class(const std::vector<ImageList>& lists,
                                                 const std::optional<LabelKind>& wanted);

}  // namespace octavo::sources
