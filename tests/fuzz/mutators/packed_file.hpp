// A dataset file in memory, whose header, index and data can be changed and whose checksums can be repaired.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "format/index/header.hpp"
#include "support/strict_json.hpp"

namespace octavo::fuzz {

class PackedFile {
 public:
  /// Returns nullopt if the bytes are too few for a header, or if the index is out of range.
  static std::optional<PackedFile> take_apart(const std::string& bytes);

  std::string& data() { return data_; }    ///< between header and index
  std::string& index() { return index_; }  ///< the text of the index, which put_together() places last
  dataset_file::Header& header() { return header_; }

  /// Repairs the hashes of datasets, chunks and samples, as far as the index can be decoded.
  void repair_hashes();
  /// The file, with correct hashes of header, index and metadata.
  std::string put_together();

 private:
  void repair_extents(Json& json);
  void repair_chunks(Json& json);
  void repair_samples();
  /// The position of an extent in data_; nullopt if it is out of range.
  std::optional<std::size_t> place_of(std::int64_t offset, std::int64_t bytes) const;

  dataset_file::Header header_;
  std::string data_;
  std::string index_;
};

}  // namespace octavo::fuzz
