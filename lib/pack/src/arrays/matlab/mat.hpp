// MATLAB 5 files (.mat), the format of SVHN's cropped digits: numeric arrays and text, plain or deflated.
//
// No library is used: libmatio, which distributions provide, reads whole variables into memory (SVHN's largest has
// 1.3 GB) and is not made for malicious files.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arrays/array.hpp"
#include "arrays/listed_array.hpp"

namespace octavo::arrays {

/// Whether a file has the first bytes of a MATLAB 5 file. (MATLAB 7.3 files are HDF5 files.)
bool begins_as_mat(std::span<const std::byte> start);

/// Whether a file may begin with a variable of a MATLAB 4 file, which has no signature.
bool begins_as_mat4(std::span<const std::byte> start);

/// A variable of a file. In MATLAB the first axis varies fastest, so the axes are reversed here: the last one, the
/// sample axis, comes first. A row or column has one axis. A char matrix is text, with a text for each of its rows.
struct MatVariable : ListedArray {
  bool is_deflated = false;
  std::int64_t offset = 0, bytes = 0;  ///< where it is stored
};

/// The variables of a file. Throws FormatError if the file is damaged, IoError if it cannot be read.
std::vector<MatVariable> list_mat(const std::filesystem::path& path);

/// The array of a usable variable. Throws what list_mat() throws.
std::unique_ptr<Array> open_mat_array(const std::filesystem::path& path, const MatVariable& variable);

/// The rows of a char matrix. Throws what list_mat() throws.
std::vector<std::string> read_mat_texts(const std::filesystem::path& path, const MatVariable& variable);

}  // namespace octavo::arrays
