// The hash over all bytes outside the index's datasets: HDF5's structures and the gaps between the datasets.
#pragma once

#include <cstdint>

#include <octavo/byte_source.hpp>
#include "format/index/header.hpp"
#include "format/index/index.hpp"

namespace octavo::dataset_file {

/// XXH3-64, in file order, of every byte of `file` from byte 4096 on that is outside the extents of `index` and outside
/// the index itself. The index must have passed check_index(). Throws FormatError if there are more such bytes than the
/// format allows.
std::uint64_t metadata_hash(const ByteSource& file, const Header& header, const Index& index);

/// Throws FormatError if metadata_hash() differs from the hash in the header.
void check_metadata(const ByteSource& file, const Header& header, const Index& index);

}  // namespace octavo::dataset_file
