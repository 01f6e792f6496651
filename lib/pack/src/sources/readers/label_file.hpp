// Finding the file of labels that belongs to a file of images.
#pragma once

#include <optional>
#include <string>

#include "files/file_tree.hpp"

namespace octavo::sources {

/// The file of labels for `images`, in the same folder: its name has the word for labels in place of the word for
/// images, and possibly ".gz" at the end. Nothing if there is no such file.
std::optional<std::string> label_file_of(const files::FileTree& tree, const std::string& images);

}  // namespace octavo::sources
