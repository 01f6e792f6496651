// Paths that stand for several numbered files.
#pragma once

#include <filesystem>
#include <vector>

namespace octavo::sources {

/// "shard-{000..099}.tar" as the hundred paths it stands for, as WebDataset and the shell have it; any other path, and
/// one that is there as it is written, alone. Throws InvalidArgument if these are more than a million.
std::vector<std::filesystem::path> expand_numbers(const std::filesystem::path& path);

}  // namespace octavo::sources
