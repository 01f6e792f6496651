// Comparing the HDF5 view of a dataset file with its index.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "format/index/header.hpp"
#include "format/index/index.hpp"

namespace octavo::dataset_file {

/// Called for each difference: where ("/train"), and what.
using ReportDifference = std::function<void(const std::string& where, const std::string& what)>;

/// Opens `path` with the HDF5 library and compares attributes, types, shapes and offsets with `index`. Call it in a
/// child process. Throws IoError if HDF5 cannot open the file.
void compare_hdf5_view(const std::filesystem::path& path, const Header& header, const Index& index,
                       const ReportDifference& report);

}  // namespace octavo::dataset_file
