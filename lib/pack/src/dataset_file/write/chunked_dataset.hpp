// A dataset of deflated chunks that the caller compresses, through HDF5's direct chunk write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/chunks/chunk_layout.hpp"
#include "format/codec.hpp"
#include "hdf5/handles.hpp"

namespace octavo::dataset_file {

/// int8 images; already compressed chunks are written one after another. Use from one thread at a time. Failures throw
/// IoError. Destroy it before closing the file.
class ChunkedDataset {
 public:
  /// Creates the dataset `path` of images of `axes` [N,C,H,W] in the open `file`. `level` is the compression level that
  /// HDF5 programs see.
  ChunkedDataset(hid_t file, const std::string& path, const std::vector<std::int64_t>& axes,
                 std::int64_t samples_per_chunk, const Codec& codec, int level);
  ~ChunkedDataset();
  ChunkedDataset(const ChunkedDataset&) = delete;
  ChunkedDataset& operator=(const ChunkedDataset&) = delete;

  /// Stores the chunk that begins with that row: a zlib stream, or the uncompressed bytes.
  void write(std::int64_t first_row, std::span<const std::byte> bytes, bool is_encoded) const;
  /// The offset of the chunk according to HDF5. Takes longer the more chunks there are. Before HDF5 1.14.4, it does not
  /// include the user block.
  std::int64_t offset_in_hdf5(std::int64_t first_row) const;

 private:
  std::string path_;
  hdf5::DatasetHandle dataset_;
};

}  // namespace octavo::dataset_file
