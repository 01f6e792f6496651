// Making the HDF5 side of a dataset file: groups, attributes and datasets that take their places without any data.
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

/// Whether datasets of 4,096 bytes and more begin at a multiple of it, so that they can be read without the page cache.
/// Chunks of compressed data then lie apart; else they follow each other.
enum class Alignment { pages, none };

/// What the elements of a dataset are. Text is a fixed number of bytes of UTF-8, padded with zeros.
enum class Element { int8, uint8, int32, int64, uint64, float32, text };

/// An HDF5 file being made, by the recipe of docs/format.md: version 1.10 format, a user block for the header, no
/// times, datasets that HDF5 never fills. Its caller writes their bytes at the offsets given here. Equal
/// calls in equal order make equal bytes. One thread at a time; every failure is an IoError.
class Skeleton {
 public:
  /// Creates the file at `path`, which must be free.
  Skeleton(const std::filesystem::path& path, Alignment alignment);
  ~Skeleton();
  Skeleton(const Skeleton&) = delete;
  Skeleton& operator=(const Skeleton&) = delete;

  void add_group(const std::string& path);
  /// Allocates a dataset; returns the absolute offset of its bytes, which does not move. `text_bytes` is for text only.
  std::int64_t add_dataset(const std::string& path, Element element, const std::vector<std::int64_t>& axes,
                           std::int64_t text_bytes = 0);
  /// A dataset of deflated images [N,C,H,W]; HDF5 gives each chunk its place when it is written.
  std::unique_ptr<ChunkedDataset> add_chunked_dataset(const std::string& path, const std::vector<std::int64_t>& axes,
                                                      std::int64_t samples_per_chunk, int level);
  /// Attributes of the object at `path`: a text, one number, or a list of numbers.
  void add_attribute(const std::string& path, const std::string& name, std::string_view text);
  void add_attribute(const std::string& path, const std::string& name, std::int32_t number);
  void add_attribute(const std::string& path, const std::string& name, double number);
  void add_attribute(const std::string& path, const std::string& name, std::span<const double> numbers);
  /// Writes all of HDF5's structures and closes the file.
  void close();

 private:
  void write_attribute(const std::string& path, const std::string& name, hid_t type, hid_t space, const void* value);
  hdf5::FileHandle file_;
};

/// The HDF5 type of an element as it lies in the file. Inside an hdf5::Session.
hdf5::TypeHandle type_of(Element element, std::int64_t text_bytes = 0);

}  // namespace octavo::dataset_file
