// The part of the page that shows masks: their classes and shares.
#pragma once

#include <string>

#include "report/page/page_data.hpp"

namespace octavo::report::page {

/// The labels of a split, masks included: "class; masks, 21 classes". HTML.
std::string labels_text(const Split& split, const MaskCounts& masks);

/// The classes of masks with their colors and the share of each in the pixels of each split; empty without masks.
std::string mask_classes(const PageData& page);

}  // namespace octavo::report::page
