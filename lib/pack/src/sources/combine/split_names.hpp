// Which split a file or folder is, by the conventions of well-known datasets.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace octavo::sources {

/// The split that a file name tells of: one of its words begins with "train" or "data" (train), "t10k" or "test"
/// (test), or "val" (val); nothing if none does. Words are parted by anything that is no letter or digit.
std::optional<std::string> split_of_file_name(std::string_view name);

/// The split that a folder of exactly this name, in any case, is: train (also training), val (also valid, validation,
/// eval, dev) or test (also testing).
std::optional<std::string> split_of_folder_name(std::string_view name);

/// Where a split stands among others: train, val, test, then the rest.
int split_rank(std::string_view split);

}  // namespace octavo::sources
