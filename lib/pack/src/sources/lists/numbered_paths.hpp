// Expanding paths that stand for several numbered files.
#pragma once

#include <filesystem>
#include <vector>

namespace octavo::sources {

/// Expands "shard-{000..099}.tar" to its hundred paths, as WebDataset and the shell do. Returns any other path, and one
/// that exists under its literal name, unchanged. Throws InvalidArgument if the range descends or exceeds a million.
std::vector<std::filesystem::path> expand_numbers(const std::filesystem::path& path);

}  // namespace octavo::sources
