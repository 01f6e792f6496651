// Sending the arrays of any HDF5 file from a child process, where the HDF5 library reads them.
//
// send_array_list() sends one message kArrayList: a JSON array of objects, one per dataset:
//   name     its path
//   element  NumPy's name of the type, or
//   unusable what it holds instead of plain numbers, or why it cannot be reached
//   axes     its shape
//   object   identifies it, if it can be reached: a dataset can have several names
//   file     the file that holds it, if an external link leads there
//   names    of an enumeration: the names of the numbers 0, 1, ..., if these are its numbers
//   is_text  true if it holds texts
//   matlab   MATLAB's class of the variable, if the file has that attribute
//   is_empty true if MATLAB marks it as empty
// send_array_rows() sends messages kRows of rows_per_block() rows each; the last may be shorter. send_array_texts()
// sends messages kTexts of up to kTextsAtOnce texts, each followed by a zero byte.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "hdf5/child_process.hpp"

namespace octavo::dataset_file {

inline constexpr char kArrayList = 'a';
inline constexpr char kRows = 'r';
inline constexpr char kTexts = 't';
/// No file of images has a longer list, in bytes.
inline constexpr std::size_t kMostArrayListBytes = std::size_t{16} << 20;
inline constexpr std::int64_t kTextsAtOnce = 1024;
/// The longest text that send_array_texts() sends.
inline constexpr std::size_t kMostTextBytes = 1024;

/// Sends the list of all datasets below the root of `path`, also across links as in foreign_links.hpp. Call it in a
/// child process.
void send_array_list(const std::filesystem::path& path, const hdf5::ChildOutput& output);

/// Sends the rows of the array `name` from `first_row` on, little-endian. Call it in a child process. Throws
/// FormatError if it cannot be reached, its data is in other files, needs filters that are not part of HDF5, or is
/// declared far larger than the file.
void send_array_rows(const std::filesystem::path& path, const std::string& name, std::int64_t first_row,
                     const hdf5::ChildOutput& output);

/// Sends the texts of `name`, of fixed or variable length, one for each index of the first axis. Call it in a child
/// process. Throws FormatError also if a text has more than kMostTextBytes.
void send_array_texts(const std::filesystem::path& path, const std::string& name, const hdf5::ChildOutput& output);

}  // namespace octavo::dataset_file
