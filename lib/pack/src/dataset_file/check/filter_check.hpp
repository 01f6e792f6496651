// HDF5 filters of datasets from other programs: which of them this build reads, and whether a stored chunk holds what
// its filter will take from it. HDF5 1.10 trusts both, and reads past the end of a chunk that is too short.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace octavo::dataset_file {

struct Filter {
  H5Z_filter_t id = 0;
  std::vector<unsigned> values;  ///< its parameters in the file
};

/// The filters of a dataset that was created with `properties`, in the order in which they were applied.
std::vector<Filter> filters_of(hid_t properties);

/// "szip", "Blosc", "the unknown filter 40000".
std::string filter_name(H5Z_filter_t filter);

/// Why data behind this filter cannot be read, with what to do; nothing if it can. Follows the dataset's name. `file`
/// is the path of the HDF5 file.
std::optional<std::string> filter_problem(H5Z_filter_t filter, const std::filesystem::path& file);

/// Whether a filter stores data in another number of bytes: deflate, szip, n-bit, scale-offset.
bool changes_size(H5Z_filter_t filter);

/// Whether the parameters of a filter that changes the size describe chunks of `element_count` plain numbers.
bool fits(const Filter& filter, std::size_t element_count, std::size_t element_bytes);

/// Whether `packed`, the data of a chunk behind szip, n-bit or scale-offset, holds as many numbers as the filter will
/// take from it, and claims as many bytes as the chunk has. The filter fits().
bool holds_whole_chunk(const Filter& filter, std::span<const std::byte> packed, std::size_t chunk_bytes);

}  // namespace octavo::dataset_file
