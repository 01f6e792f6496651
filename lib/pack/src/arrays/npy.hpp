// .npy files, NumPy's format of one array (numpy.lib.format, versions 1.0 to 3.0).
#pragma once

#include <memory>
#include <span>

#include "arrays/array.hpp"

namespace octavo::arrays {

/// Whether a file begins as .npy files do.
bool is_npy_magic(std::span<const std::byte> bytes);

/// The array in a .npy file: bool, integers and floats of either byte order, in C or Fortran order. Throws FormatError
/// if it is none, if it holds objects (which are a program to be run), strings, records, dates or complex numbers, or
/// has another length than it says.
std::unique_ptr<Array> open_npy(std::shared_ptr<files::ByteStream> stream);

}  // namespace octavo::arrays
