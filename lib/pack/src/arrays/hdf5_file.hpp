// Arrays in HDF5 files of any origin. The HDF5 library reads them in a child process with limits: it was seen to crash
// and hang on damaged or malicious files. With the child, this is only an error message.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "arrays/array.hpp"
#include "arrays/listed_array.hpp"

namespace octavo::arrays {

/// Whether a file has the HDF5 signature, possibly after a user block.
bool begins_as_hdf5(files::ByteStream& stream);

/// A dataset of a file, and what MATLAB says about it.
struct Hdf5Array : ListedArray {
  std::string matlab_class = {};  ///< of a variable that MATLAB wrote: "uint8", "char", "cell"
  bool is_matlab_empty = false;
};

/// The datasets of a file, anywhere below its root, also across links in the file and to files in its folder. Throws
/// FormatError, naming the file, if it cannot be read, even if the library crashes on it.
std::vector<Hdf5Array> list_hdf5(const std::filesystem::path& path);

/// One of these arrays if it is usable, read from front to back. Throws FormatError.
std::unique_ptr<Array> open_hdf5_array(const std::filesystem::path& path, const ListedArray& array);

/// The texts of one of these arrays if it is text: one for each index of the first axis. Throws FormatError, also if it
/// has several texts for each, or long ones.
std::vector<std::string> read_hdf5_texts(const std::filesystem::path& path, const ListedArray& array);

}  // namespace octavo::arrays
