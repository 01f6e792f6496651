// The index of a dataset file: every split, the location of its data, and the rules for both (docs/format.md, "Index").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/sample.hpp>
#include <octavo/statistics.hpp>

#include <octavo/byte_source.hpp>
#include "format/chunks/chunk_layout.hpp"
#include "format/codec.hpp"
#include "format/index/header.hpp"
#include "format/row_offsets.hpp"

namespace octavo::dataset_file {

/// The byte range of one dataset in the file.
struct Extent {
  std::int64_t offset = 0;  ///< absolute, from the first byte of the file
  std::int64_t bytes = 0;
  std::optional<std::uint64_t> hash;  ///< hash of these bytes; images and labels have one checksum per sample instead

  std::int64_t end() const { return offset + bytes; }
  bool operator==(const Extent&) const = default;
};

/// One chunk of encoded images, as stored in the file.
struct StoredChunk {
  Extent extent;           ///< with the hash of the stored bytes
  bool is_encoded = true;  ///< false: stored as plain bytes, because it hardly shrank
};

/// Images in chunks with the same number of samples, the last one padded with zeros.
struct ChunkedImages {
  const Codec* codec = nullptr;
  std::int64_t samples_per_chunk = 0;
  Extent table;                     ///< the dataset `chunks`, which locates them
  std::vector<StoredChunk> chunks;  ///< empty until the table is read
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
  Extent images;                                  ///< empty if they are in chunks
  std::optional<Extent> row_bytes;                ///< uint32 [N]: bytes of each row of `images`, if they differ
  std::optional<Extent> decoded_checksums;        ///< uint64 [N]: as `checksums`, with decoded codes; with row_bytes
  RowOffsets rows;                                ///< the rows that are read: in `images`, or of decoded chunks
  std::optional<Extent> mask_row_bytes;           ///< uint32 [N]: bytes of each row of `masks`, with row_bytes
  std::optional<Extent> row_tables;               ///< uint8: decode rows, if the codec has tables
  std::int64_t max_error = 0;                     ///< rows of `images` have value_step(max_error)
  std::optional<Extent> mask_row_tables;          ///< the same for masks
  RowOffsets mask_rows;                           ///< the rows of `masks`; without bytes if there are none
  std::optional<ChunkedImages> chunked;           ///< nothing if rows stand alone
  std::optional<Extent> labels;                   ///< present unless label_layout.kind is none
  std::optional<Extent> masks;                    ///< uint8 [N,1,H,W], or coded rows; nothing if the split has none
  Extent checksums;
  Extent histogram;
  Extent mean_image;
  std::optional<Extent> names;            ///< the names, each with a terminating zero byte; present if name_offsets is
  std::optional<Extent> name_offsets;     ///< uint64 [N+1]: where each name begins
  std::vector<std::string> columns;       ///< names of the metadata
  std::optional<Extent> columns_dataset;  ///< JSON, as in columns.hpp; present if there are columns

  /// Values of the mask of a sample; 0 if the split has none.
  std::int64_t mask_bytes() const { return masks ? shape.values_per_channel() : 0; }
  /// Bytes of all samples, uncompressed, without masks.
  std::int64_t packed_bytes() const { return sample_count * shape.values(); }
  /// Bytes of the images in the file.
  std::int64_t stored_bytes() const;
  /// How chunked images are divided.
  ChunkLayout chunk_layout() const { return {sample_count, shape.values(), chunked->samples_per_chunk}; }
};

struct Index {
  std::int64_t version = 1;  ///< of the format, the least that has all that is used: 4 if a split has
                             ///< a largest error, 3 if one has columns, 2 if one has masks
  const Codec* codec = &codec_of(Compression::none);
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

/// Every dataset that the index lists, in index order. For chunked images, every chunk.
std::vector<NamedExtent> extents_of(const Index& index);

/// Bytes per class name in the dataset /classes: the length of the longest name.
std::int64_t class_name_bytes(const std::vector<std::string>& class_names);

/// The contents of /classes: each name padded with zeros to class_name_bytes().
std::string class_name_table(const std::vector<std::string>& class_names);

/// Encodes the index as JSON.
std::string encode_index(const Index& index);
/// Decodes the index in `text` and checks the type of each field; check_index() checks the fields together.
/// Throws FormatError (the message does not name the file).
Index decode_index(std::string_view text);
/// Throws FormatError if a layout is not allowed, a size does not match its shape, or an extent is outside the file or
/// overlaps another one. Checks chunks only if their tables have been read.
void check_index(const Index& index, const Header& header);

/// Reads the index of `file`: checks its hash, calls decode_index() and check_index(), and reads the chunk tables.
/// Throws FormatError (the message does not name the file).
Index read_index(const ByteSource& file, const Header& header);

}  // namespace octavo::dataset_file
