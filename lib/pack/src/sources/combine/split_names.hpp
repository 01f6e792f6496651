// Inferring the split of a file or folder by the conventions of well-known datasets.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace octavo::sources {

/// The split named in a file name: the first word that begins with "train" or "data" (train), "t10k" or "test" (test),
/// or "val" (val); nothing if there is none. Any character except letters and digits separates words.
std::optional<std::string> split_of_file_name(std::string_view name);

/// The split named in the file name of an image list: as for other files, but "data" names no split, and "dev" and
/// "eval" name val.
std::optional<std::string> split_of_list_name(std::string_view name);

/// The split of a folder with exactly this name, in any case: train (also training), val (also valid, validation, eval,
/// dev) or test (also testing).
std::optional<std::string> split_of_folder_name(std::string_view name);

/// The rank of a split in sort order: train, val, test, then the rest.
int split_rank(std::string_view split);

}  // namespace octavo::sources
