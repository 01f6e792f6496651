// The numeric arrays of any HDF5 file, sent by a child process in which the HDF5 library reads them.
//
// send_array_list() sends one message kArrayList: a JSON array of {"name", "element", "axes"}, where "element" is
// NumPy's name of the type. send_array_rows() sends messages kRows, each of rows_per_block() rows but for the last one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "hdf5/child_process.hpp"

namespace octavo::dataset_file {

inline constexpr char kArrayList = 'a';
inline constexpr char kRows = 'r';
/// A list of more bytes than this is of no file of images.
inline constexpr std::size_t kMostArrayListBytes = std::size_t{16} << 20;

/// Sends what arrays of numbers `path` has, wherever they are below its root; links to other places and files are not
/// followed. To be called in a child process.
void send_array_list(const std::filesystem::path& path, const hdf5::ChildOutput& output);

/// Sends the rows of the array `name` from `first_row` on, little-endian. To be called in a child process. Throws
/// FormatError if its data lies in other files, needs filters that are not part of HDF5, or is declared far larger than
/// the file.
void send_array_rows(const std::filesystem::path& path, const std::string& name, std::int64_t first_row,
                     const hdf5::ChildOutput& output);

}  // namespace octavo::dataset_file
