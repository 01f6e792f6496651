// What a file has beyond a dataset file: objects and attributes that another program added.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hdf5/handles.hpp"

namespace octavo::dataset_file {

/// The names of the objects and attributes that rebuilding does not copy, such as "/train/features" or "/train/images,
/// attribute note"; of more than 100, the first 100 and "23 more". `splits` are the groups of the splits; `version` is
/// the format version of the file. Call it in a child process.
std::vector<std::string> foreign_extras(hid_t file, const std::vector<std::string>& splits, std::int64_t version);

}  // namespace octavo::dataset_file
