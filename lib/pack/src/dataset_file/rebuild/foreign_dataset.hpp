// One dataset of an HDF5 file that another program may have written: opened only if it is harmless, and read in rows.
// Use it in a child process, inside an hdf5::Session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataset_file/check/chunk_check.hpp"
#include "hdf5/handles.hpp"

namespace octavo::dataset_file {

/// Whether `group` has a member with that name. Throws FormatError if it is a link to another location or file.
bool has_member(hid_t group, const std::string& name);

/// Whether a dataset is declared larger than any data that a file of this size can hold.
bool is_too_large(const std::vector<std::int64_t>& axes, std::size_t element_bytes, std::int64_t file_bytes);

/// A dataset whose data is in this file and needs only the filters of every HDF5 library.
class ForeignDataset {
 public:
  /// Opens member `name` of `group`; `path` is its name for messages. Throws FormatError if its data is in other files,
  /// needs unknown filters, or is declared far larger than the file.
  ForeignDataset(hid_t group, const std::string& name, const std::string& path, std::int64_t file_bytes);

  const std::vector<std::int64_t>& axes() const { return axes_; }
  /// Whether it is compressed.
  bool is_deflated() const { return is_deflated_; }
  /// Whether its elements have this class and size.
  bool holds(H5T_class_t element_class, std::size_t element_bytes) const;
  hid_t id() const { return dataset_.get(); }
  /// Reads rows [first, first + count) of the first axis, converted to `memory_type`, which has the size of the
  /// elements. Throws FormatError if a chunk of these rows does not inflate to its expected size.
  void read_rows(std::int64_t first, std::int64_t count, hid_t memory_type, std::span<std::byte> out) const;
  /// For callers that read through id(): throws FormatError if a chunk does not inflate to its expected size.
  void check_all_chunks() const;
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  void check_storage(std::int64_t file_bytes);
  template <typename Step>
  void tell_reason(const Step& step) const;

  std::string path_;
  hdf5::DatasetHandle dataset_;
  hdf5::TypeHandle type_;
  std::vector<std::int64_t> axes_;
  mutable std::optional<ChunkCheck> chunks_;  ///< remembers checked chunks; absent if not chunked
  bool is_deflated_ = false;
};

}  // namespace octavo::dataset_file
