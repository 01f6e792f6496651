// The place of a file that is not on this machine.
#pragma once

#include <memory>
#include <string>

#include "files/file_tree.hpp"

namespace octavo::files {

/// A tree without files, for the names in messages: `url` is the name of all its paths.
std::shared_ptr<const FileTree> named_place(const std::string& url);

}  // namespace octavo::files
