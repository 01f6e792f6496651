// Writing the HDF5 structures of a dataset file: groups, attributes, and datasets that are allocated without data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset_file/write/chunked_dataset.hpp"
#include "hdf5/handles.hpp"

namespace octavo::dataset_file {

/// Whether datasets of 4,096 bytes or more begin at a multiple of 4,096, so that they can be read without the page
/// cache. Chunks of compressed data then have gaps between them; otherwise they are contiguous.
enum class Alignment { pages, none };

/// The element type of a dataset. Text is a fixed number of bytes of UTF-8, padded with zeros.
enum class StoredType { int8, uint8, int32, uint32, int64, uint64, float32, text };

/// An HDF5 file under construction, as described in docs/format.md: version 1.10 format, a user block for the header,
/// no times, datasets that HDF5 never fills. The caller writes their bytes at the offsets returned here. The same calls
/// in the same order give the same bytes. Use from one thread at a time. Failures throw IoError.
class Skeleton {
 public:
  /// Creates the file at `path`, which must not exist.
  Skeleton(const std::filesystem::path& path, Alignment alignment);
  ~Skeleton();
  Skeleton(const Skeleton&) = delete;
  Skeleton& operator=(const Skeleton&) = delete;

  void add_group(const std::string& path);
  /// Allocates a dataset; returns the absolute offset of its bytes, which is final. `text_bytes` is for text only.
  std::int64_t add_dataset(const std::string& path, StoredType element, const std::vector<std::int64_t>& axes,
                           std::int64_t text_bytes = 0);
  /// Adds a dataset of deflated images [N,C,H,W]; HDF5 allocates each chunk when it is written.
  std::unique_ptr<ChunkedDataset> add_chunked_dataset(const std::string& path, const std::vector<std::int64_t>& axes,
                                                      std::int64_t samples_per_chunk, const Codec& codec, int level);
  /// Adds an attribute to the object at `path`: a text, one number, or a list of numbers.
  void add_attribute(const std::string& path, const std::string& name, std::string_view text);
  void add_attribute(const std::string& path, const std::string& name, std::int32_t number);
  void add_attribute(const std::string& path, const std::string& name, double number);
  void add_attribute(const std::string& path, const std::string& name, std::span<const double> numbers);
  /// Writes all HDF5 structures and closes the file.
  void close();

 private:
  void write_attribute(const std::string& path, const std::string& name, hid_t type, hid_t space, const void* value);
  hdf5::FileHandle file_;
};

/// The HDF5 type of an element in the file. Call inside an hdf5::Session.
hdf5::TypeHandle type_of(StoredType element, std::int64_t text_bytes = 0);

}  // namespace octavo::dataset_file
