// HDF5's superblock, which follows the header of a dataset file: what tells a rewritten file from a truncated one.
#pragma once

#include <octavo/byte_source.hpp>

namespace octavo::dataset_file {

/// Whether an HDF5 file begins after the header and ends where its superblock says, or before the end of `file`. It is
/// false for a file that was truncated. Throws IoError.
bool has_whole_hdf5_file(const ByteSource& file);

}  // namespace octavo::dataset_file
