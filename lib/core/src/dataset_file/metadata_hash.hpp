// The hash over everything that no dataset of the index owns: HDF5's structures and the gaps between the datasets.
#pragma once

#include <cstdint>

#include "dataset_file/header.hpp"
#include "dataset_file/index.hpp"
#include "support/file.hpp"

namespace octavo::dataset_file {

/// XXH3-64, in file order, of every byte from 4096 to the end of `file` outside the extents of `index` and outside the
/// index itself. The index must have passed check_index(). Throws FormatError with the reason if these are more bytes
/// than the format allows.
std::uint64_t metadata_hash(const File& file, const Header& header, const Index& index);

/// Throws FormatError with the reason if metadata_hash() is not what the header says.
void check_metadata(const File& file, const Header& header, const Index& index);

}  // namespace octavo::dataset_file
