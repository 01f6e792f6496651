// Sending the numeric arrays of any HDF5 file from a child process, where the HDF5 library reads them.
//
// send_array_list() sends one message kArrayList: a JSON array of {"name", "element", "axes"}, where "element" is
// NumPy's name of the type. send_array_rows() sends messages kRows of rows_per_block() rows each; the last may be
// shorter.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "hdf5/child_process.hpp"

namespace octavo::dataset_file {

inline constexpr char kArrayList = 'a';
inline constexpr char kRows = 'r';
/// No file of images has a longer list, in bytes.
inline constexpr std::size_t kMostArrayListBytes = std::size_t{16} << 20;

/// Sends the list of all arrays of numbers below the root of `path`; does not follow links to other locations or files.
/// Call it in a child process.
void send_array_list(const std::filesystem::path& path, const hdf5::ChildOutput& output);

/// Sends the rows of the array `name` from `first_row` on, little-endian. Call it in a child process. Throws
/// FormatError if its data is in other files, needs filters that are not part of HDF5, or is declared far larger than
/// the file.
void send_array_rows(const std::filesystem::path& path, const std::string& name, std::int64_t first_row,
                     const hdf5::ChildOutput& output);

}  // namespace octavo::dataset_file
