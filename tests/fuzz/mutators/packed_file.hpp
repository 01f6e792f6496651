// A dataset file in memory whose header, index and data are changed, and whose checksums are made right again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dataset_file/header.hpp"
#include "support/strict_json.hpp"

namespace octavo::fuzz {

class PackedFile {
 public:
  /// Nothing if the bytes are no header, or one that places the index outside of them.
  static std::optional<PackedFile> take_apart(const std::string& bytes);

  std::string& data() { return data_; }    ///< between header and index
  std::string& index() { return index_; }  ///< its text, which comes last when the file is put together
  dataset_file::Header& header() { return header_; }

  /// Makes the hashes of datasets, chunks and samples right, as far as the index can be understood.
  void repair_hashes();
  /// The file, with right hashes of header, index and metadata.
  std::string put_together();

 private:
  void repair_extents(Json& json);
  void repair_chunks(Json& json);
  void repair_samples();
  /// The place in data_ of an extent; nothing if it lies outside.
  std::optional<std::size_t> place_of(std::int64_t offset, std::int64_t bytes) const;

  dataset_file::Header header_;
  std::string data_;
  std::string index_;
};

}  // namespace octavo::fuzz
