// MATLAB 5 files (.mat), as SVHN's cropped digits come: numeric arrays, plain or deflated.
//
// They are read here, and not by a library: the one that the distributions have (libmatio) reads whole variables into
// memory, where SVHN's largest has 1.3 GB, and is not made for files that were tampered with.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arrays/array.hpp"

namespace octavo::arrays {

/// Whether a file begins as MATLAB 5 files do. (MATLAB 7.3 files are HDF5 files.)
bool begins_as_mat(std::span<const std::byte> start);

/// A numeric variable of a file. In MATLAB the first axis varies fastest, so that the last one, over which samples lie,
/// is the first here.
struct MatVariable {
  std::string name;
  std::vector<std::int64_t> axes;
  bool is_deflated = false;
  std::int64_t offset = 0, bytes = 0;  ///< where it is stored
};

/// The numeric variables of a file that are no complex numbers; others are left out. Throws FormatError if the file is
/// damaged, IoError if it cannot be read.
std::vector<MatVariable> list_mat(const std::filesystem::path& path);

/// The numbers of one of them. Throws as list_mat() does.
std::unique_ptr<Array> open_mat_array(const std::filesystem::path& path, const MatVariable& variable);

}  // namespace octavo::arrays
