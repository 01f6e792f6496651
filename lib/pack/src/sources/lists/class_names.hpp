// The class names of image lists: their order, and one numbering for all lists of a packing.
#pragma once

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

}  // namespace octavo::sources
