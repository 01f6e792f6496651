// Checks that classes have more than one image each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <octavo/pack.hpp>

#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// Throws DataError if nearly every image of tables and WebDataset shards has a class name of its own, as names, ids
/// and captions would, unless the options say that the labels are classes. Few images may all differ.
void check_class_counts(const std::vector<ImageList>& lists, const SourceOptions& options);

/// On class folders, or class numbers of tables, that are nearly as many as images, unless the options say that the
/// labels are classes; nothing if there are none.
std::optional<std::string> remark_on_class_counts(const std::vector<ImageList>& lists, const SourceOptions& options);

}  // namespace octavo::sources
