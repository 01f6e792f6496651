// Arrays in HDF5 files of any origin. The HDF5 library reads them in a child process with limits: it was seen to crash
// and hang on damaged or malicious files. With the child, this is only an error message.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "arrays/array.hpp"

namespace octavo::arrays {

/// Whether a file has the HDF5 signature, possibly after a user block.
bool begins_as_hdf5(files::ByteStream& stream);

/// An array of numbers in a file: "train/images".
struct Hdf5Array {
  std::string name;
  Element element = Element::uint8;
  std::vector<std::int64_t> axes;
};

/// The arrays of numbers in a file, anywhere below its root. Throws FormatError, naming the file, if it cannot be read,
/// even if the library crashes on it.
std::vector<Hdf5Array> list_hdf5(const std::filesystem::path& path);

/// One of these arrays, read from front to back. Throws FormatError.
std::unique_ptr<Array> open_hdf5_array(const std::filesystem::path& path, const Hdf5Array& array);

}  // namespace octavo::arrays
