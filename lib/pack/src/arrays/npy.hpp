// .npy files, NumPy's format of one array (numpy.lib.format, versions 1.0 to 3.0).
#pragma once

#include <memory>
#include <span>

#include "arrays/array.hpp"
#include "arrays/listed_array.hpp"

namespace octavo::arrays {

/// Whether a file has the first bytes of a .npy file.
bool is_npy_magic(std::span<const std::byte> bytes);

/// The array in a .npy file: bool, integers and floats of either byte order, in C or Fortran order. Throws FormatError
/// if it is not a .npy file, if it holds objects (pickles, which are programs), strings, records, dates or complex
/// numbers, or if its length does not match its header.
std::unique_ptr<Array> open_npy(std::shared_ptr<files::ByteStream> stream);

/// What the array in a .npy file is; its name is empty. Throws FormatError if the file is damaged.
ListedArray describe_npy(files::ByteStream& stream);

/// The texts of an array of text ("<U5", "|S5"), one for each index of the first axis. Throws FormatError, also if
/// there are several for each, or long ones.
std::vector<std::string> read_npy_texts(files::ByteStream& stream);

}  // namespace octavo::arrays
