// MATLAB's variables in HDF5 files: MATLAB 7.3 files, which have a header of MATLAB in front, and files of other
// programs that mark their datasets as MATLAB does.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arrays/hdf5_file.hpp"

namespace octavo::arrays {

/// Whether a file has the first bytes of a MATLAB 7.3 file.
bool begins_as_mat73(std::span<const std::byte> start);

/// Whether datasets in the list are marked as MATLAB's variables.
bool has_matlab_variables(const std::vector<Hdf5Array>& arrays);

/// A variable, whose `axes` are those of MATLAB 5 files (mat.hpp), reversed and without those of a row or column.
struct MatlabArray : ListedArray {
  std::vector<std::int64_t> stored_axes = {};
};

/// The variables in a list of datasets. MATLAB reverses axes in HDF5, so that the last one, the sample axis, comes
/// first. Cells, structs, objects, sparse and empty variables are unusable; a char matrix is text, with a text for each
/// of its rows.
std::vector<MatlabArray> matlab_variables(const std::vector<Hdf5Array>& arrays);

/// A usable variable, read from front to back. Throws FormatError.
std::unique_ptr<Array> open_matlab_array(const std::filesystem::path& path, const MatlabArray& variable);

/// The rows of a char matrix. Throws FormatError.
std::vector<std::string> read_matlab_texts(const std::filesystem::path& path, const MatlabArray& variable);

}  // namespace octavo::arrays
