// What the index of a dataset file says: every split, where its data lies, and the rules it must keep (docs/format.md,
// "Index").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/compression.hpp>
#include <octavo/sample.hpp>
#include <octavo/statistics.hpp>

#include "dataset_file/chunk_layout.hpp"
#include "dataset_file/header.hpp"
#include "support/file.hpp"

namespace octavo::dataset_file {

/// Bytes of the file that belong to one dataset.
struct Extent {
  std::int64_t offset = 0;  ///< absolute, from the first byte of the file
  std::int64_t bytes = 0;
  std::optional<std::uint64_t> hash;  ///< of these bytes; images and labels have the checksums of their samples instead

  std::int64_t end() const { return offset + bytes; }
  bool operator==(const Extent&) const = default;
};

/// One chunk of deflated images as it lies in the file.
struct StoredChunk {
  Extent extent;            ///< with the hash of the stored bytes
  bool is_deflated = true;  ///< else it lies there as it is, since it hardly shrank
};

/// Images in chunks of equally many samples, the last one filled with zeros.
struct DeflatedImages {
  std::int64_t samples_per_chunk = 0;
  Extent table;                     ///< the dataset `chunks`, which says where they are
  std::vector<StoredChunk> chunks;  ///< empty as long as the table has not been read
};

/// An extent and the HDF5 path of its dataset, such as "/train/images".
struct NamedExtent {
  std::string path;
  Extent extent;
};

struct SplitEntry {
  std::string name;
  std::int64_t sample_count = 0;
  SampleShape shape;
  LabelLayout label_layout;
  Color color = Color::other;
  std::string source_dtype;
  std::vector<ChannelQuantization> quantization;  ///< [C]
  std::vector<double> mean;                       ///< [C]
  std::vector<double> standard_deviation;         ///< [C]
  Extent images;                                  ///< no bytes if they are deflated
  std::optional<DeflatedImages> deflated;         ///< or nothing if they are plain
  std::optional<Extent> labels;                   ///< present unless label_layout.kind is none
  Extent checksums;
  Extent histogram;
  Extent mean_image;
  std::optional<Extent> names;         ///< both or none: the names, each ended by a zero byte ...
  std::optional<Extent> name_offsets;  ///< ... and uint64 [N+1], where each begins

  /// Of all samples, whatever they take in the file.
  std::int64_t packed_bytes() const { return sample_count * shape.values(); }
  /// What the images take in the file.
  std::int64_t stored_bytes() const;
  /// How deflated images are cut.
  ChunkLayout chunk_layout() const { return {sample_count, shape.values(), deflated->samples_per_chunk}; }
};

struct Index {
  Compression compression = Compression::none;
  std::string uuid;
  std::string created;
  std::string writer;
  std::vector<std::string> class_names;  ///< empty if unknown
  std::optional<Extent> classes;         ///< present if there are class names
  Extent provenance;
  std::vector<SplitEntry> splits;
};

/// The HDF5 path of a dataset of a split: "/train/images".
std::string dataset_path(const SplitEntry& split, std::string_view dataset);

/// Every dataset that the index lists, in the order of the index; of deflated images every chunk.
std::vector<NamedExtent> extents_of(const Index& index);

/// Bytes of one class name in the dataset /classes: the longest name.
std::int64_t class_name_bytes(const std::vector<std::string>& class_names);

/// The bytes of /classes: each name padded with zeros to class_name_bytes().
std::string class_name_table(const std::vector<std::string>& class_names);

/// The index as JSON.
std::string encode_index(const Index& index);
/// The index in `text`, each field of the right kind; whether the fields fit together is check_index()'s question.
/// Throws FormatError with the reason (which names no file).
Index decode_index(std::string_view text);
/// Throws FormatError with the reason if a layout is not allowed, a size does not follow from its shape, or an extent
/// lies outside the file or on another one. Chunks are looked at if the tables that list them have been read.
void check_index(const Index& index, const Header& header);

/// Reads the index of `file`: hash, decode_index(), check_index(), and the tables of chunks. Throws FormatError with
/// the reason.
Index read_index(const File& file, const Header& header);

}  // namespace octavo::dataset_file
