// A dataset in deflated chunks, as HDF5 lets one be made by whoever compresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dataset_file/chunk_layout.hpp"
#include "hdf5/handles.hpp"

namespace octavo::dataset_file {

/// int8 images whose chunks are written one after another, compressed already. One thread at a time; failures are
/// IoErrors. To be destroyed before the file that it is in is closed.
class ChunkedDataset {
 public:
  /// Creates the dataset `path` of images of `axes` [N,C,H,W] in the open `file`. `level` is what HDF5 programs are
  /// told that the chunks were compressed with.
  ChunkedDataset(hid_t file, const std::string& path, const std::vector<std::int64_t>& axes,
                 std::int64_t samples_per_chunk, int level);
  ~ChunkedDataset();
  ChunkedDataset(const ChunkedDataset&) = delete;
  ChunkedDataset& operator=(const ChunkedDataset&) = delete;

  /// Stores the bytes of the chunk that begins with that row: a zlib stream, or the chunk as it is.
  void write(std::int64_t first_row, std::span<const std::byte> bytes, bool is_deflated) const;
  /// Where HDF5 says that the chunk lies. Takes longer the more chunks there are; before HDF5 1.14.4 the bytes of the
  /// user block are missing.
  std::int64_t told_offset(std::int64_t first_row) const;

 private:
  std::string path_;
  hdf5::DatasetHandle dataset_;
};

}  // namespace octavo::dataset_file
