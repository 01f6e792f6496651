// An HDF5 file that shows the samples of shards, for other programs.
#pragma once

#include <filesystem>
#include <vector>

namespace octavo::sharding {

inline constexpr const char* kVirtualDatasetName = "dataset.h5";

/// Writes the HDF5 file `path` with virtual datasets <split>/images, labels and masks, which read from the files
/// `shards` in the same folder, in this order. Appears complete or not at all. Throws InvalidArgument if images are
/// coded rows, which are no arrays; IoError if the file cannot be written.
void write_virtual_dataset(const std::filesystem::path& path, const std::vector<std::filesystem::path>& shards);

}  // namespace octavo::sharding
