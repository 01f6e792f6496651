// What a source reader opens, before it becomes samples.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include <octavo/source.hpp>

#include "arrays/array_set.hpp"
#include "sources/lists/folders/folder_listing.hpp"
#include "sources/lists/image_list.hpp"
#include "sources/lists/several_lists.hpp"

namespace octavo::sources {

/// One of:
///
/// - arrays: those of all sources are quantized in the same way;
/// - a table of images, checked together with the other tables;
/// - a folder of images, listed together with the other folders;
/// - a list of images that is complete;
/// - a source.
using Opened = std::variant<std::vector<arrays::ArraySet>, ReadList, ImageRoot, ImageList, std::unique_ptr<Source>>;

}  // namespace octavo::sources
