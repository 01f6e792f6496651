// Names of files and folders that are never part of a dataset.
#pragma once

#include <string_view>

namespace octavo::files {

/// Whether a file or folder of this name (one part of a path) is skipped, on disk and in archives: it is hidden (it
/// starts with a dot, such as .DS_Store, .ipynb_checkpoints and ._1.png), or it is one of those that operating systems,
/// file servers and Python leave in folders, such as Thumbs.db, __MACOSX and @eaDir.
bool is_skipped_name(std::string_view name);

}  // namespace octavo::files
