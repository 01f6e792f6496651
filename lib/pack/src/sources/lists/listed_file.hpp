// Finding the files that an image list names.
#pragma once

#include <optional>
#include <string>

#include "files/file_tree.hpp"

namespace octavo::sources {

/// What a list names: images or masks, and the folder next to the list that usually holds them.
struct ListedKind {
  const char* noun;
  const char* usual_folder;
};
inline constexpr ListedKind kListedImages = {"image", "images"};
inline constexpr ListedKind kListedMasks = {"mask", "masks"};

/// The path in `tree` of the file that the list at `list` names as `named`; nothing if there is none. It is relative to
/// the list's folder, to the usual folder there, or to the folder named like the list (without extension, and with "_"
/// and the usual folder appended). The extension of an image may be omitted, but a file with exactly that name is found
/// whatever its extension. On disk, the path may be absolute. If there is no such file, backslashes are read as
/// separators. Files outside the list's folder are not found.
std::optional<std::string> find_listed(const files::FileTree& tree, const std::string& list, const std::string& named,
                                       const ListedKind& kind);

/// Why find_listed() finds nothing, for a message.
std::string why_not_found(const std::string& named, const ListedKind& kind);

/// A file that may have been meant, because its name differs only in case: "; there is "a.png""; empty if there is
/// none. Lists the folder, so call it for few files.
std::string similar_file(const files::FileTree& tree, const std::string& list, const std::string& named,
                         const ListedKind& kind);

}  // namespace octavo::sources
