#include "format/index/index.hpp"

#include <algorithm>
#include <cstring>

#include <octavo/errors.hpp>

#include "format/chunks/chunk_table.hpp"
#include "format/limits.hpp"
#include "support/hash.hpp"

namespace octavo::dataset_file {

std::string dataset_path(const SplitEntry& split, std::string_view dataset) {
  return "/" + split.name + "/" + std::string(dataset);
}

std::int64_t SplitEntry::stored_bytes() const {
  if (!chunked) return images.bytes;
  std::int64_t bytes = 0;
  for (const StoredChunk& chunk : chunked->chunks) bytes += chunk.extent.bytes;
  return bytes;
}

std::vector<NamedExtent> extents_of(const Index& index) {
  std::vector<NamedExtent> all;
  for (const SplitEntry& split : index.splits) {
    const std::string images = dataset_path(split, "images");
    if (!split.chunked) {
      all.push_back({images, split.images});
      if (split.row_bytes) all.push_back({dataset_path(split, "row_bytes"), *split.row_bytes});
      if (split.row_tables) all.push_back({dataset_path(split, "row_tables"), *split.row_tables});
      if (split.decoded_checksums) all.push_back({dataset_path(split, "decoded_checksums"), *split.decoded_checksums});
    } else {
      all.push_back({dataset_path(split, "chunks"), split.chunked->table});
      for (const StoredChunk& chunk : split.chunked->chunks) all.push_back({images, chunk.extent});
    }
    if (split.labels) all.push_back({dataset_path(split, "labels"), *split.labels});
    if (split.masks) all.push_back({dataset_path(split, "masks"), *split.masks});
    if (split.mask_row_bytes) all.push_back({dataset_path(split, "mask_row_bytes"), *split.mask_row_bytes});
    if (split.mask_row_tables) all.push_back({dataset_path(split, "mask_row_tables"), *split.mask_row_tables});
    all.push_back({dataset_path(split, "checksums"), split.checksums});
    all.push_back({dataset_path(split, "histogram"), split.histogram});
    all.push_back({dataset_path(split, "mean_image"), split.mean_image});
    if (split.names) all.push_back({dataset_path(split, "names"), *split.names});
    if (split.name_offsets) all.push_back({dataset_path(split, "name_offsets"), *split.name_offsets});
    if (split.columns_dataset) all.push_back({dataset_path(split, "columns"), *split.columns_dataset});
  }
  if (index.classes) all.push_back({"/classes", *index.classes});
  all.push_back({"/provenance", index.provenance});
  return all;
}

std::int64_t class_name_bytes(const std::vector<std::string>& class_names) {
  std::size_t longest = 1;
  for (const std::string& name : class_names) longest = std::max(longest, name.size());
  return static_cast<std::int64_t>(longest);
}

std::string class_name_table(const std::vector<std::string>& class_names) {
  const auto width = static_cast<std::size_t>(class_name_bytes(class_names));
  std::string table(class_names.size() * width, '\0');
  for (std::size_t i = 0; i < class_names.size(); ++i) table.replace(i * width, class_names[i].size(), class_names[i]);
  return table;
}

namespace {

/// Requires checked fields, so that the table is not longer than the file.
std::vector<std::byte> read_table(const ByteSource& file, const Extent& table, const std::string& path) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(table.bytes));
  file.read_at(table.offset, bytes);
  if (hash_bytes(bytes) != table.hash) {
    throw FormatError(path + " is damaged (its hash does not match); get the file again");
  }
  return bytes;
}

void read_chunk_tables(const ByteSource& file, Index& index) {
  for (SplitEntry& split : index.splits) {
    if (!split.chunked) continue;
    const std::string path = dataset_path(split, "chunks");
    const std::vector<std::byte> bytes = read_table(file, split.chunked->table, path);
    try {
      split.chunked->chunks = decode_chunk_table(bytes, split.chunk_layout().chunk_bytes(), *index.codec);
    } catch (const FormatError& problem) {
      throw FormatError(path + " is invalid: " + problem.what());
    }
  }
}

/// The rows of a dataset.
struct StoredRowTable {
  const std::optional<Extent>& sizes;  ///< nothing: rows are plain
  const std::optional<Extent>& tables;
  const Extent& rows;
  SampleShape shape;   ///< of the values of a row
  const char* prefix;  ///< of the names of the other datasets
  std::int64_t max_error = 0;
};

std::shared_ptr<const RowTables> read_row_tables(const ByteSource& file, const Codec& codec, const Extent& tables,
                                                 const std::string& path) {
  const std::vector<std::byte> stored = read_table(file, tables, path);
  try {
    return codec.read_tables(stored);
  } catch (const FormatError& problem) {
    throw FormatError(path + " is invalid: " + problem.what());
  }
}

/// Over a network, the tables of all splits are read at the same time.
void start_tables(const ByteSource& file, const Index& index) {
  if (!file.read_cost().waits_for_network) return;
  const auto start = [&](const std::optional<Extent>& table) {
    if (table) file.start_read(table->offset, table->bytes);
  };
  for (const SplitEntry& split : index.splits) {
    for (const auto& table : {split.row_bytes, split.row_tables, split.mask_row_bytes, split.mask_row_tables})
      start(table);
    if (split.chunked) start(split.chunked->table);
  }
}

RowOffsets read_row_offsets(const ByteSource& file, const SplitEntry& split, const Codec& codec,
                            const StoredRowTable& stored) {
  if (!stored.sizes) return {split.sample_count, stored.shape.values()};
  const std::string path = dataset_path(split, std::string(stored.prefix) + "row_bytes");
  const std::vector<std::byte> table = read_table(file, *stored.sizes, path);
  std::vector<std::uint32_t> sizes(table.size() / sizeof(std::uint32_t));
  std::memcpy(sizes.data(), table.data(), table.size());
  for (std::size_t row = 0; row < sizes.size(); ++row) {
    if (codec.can_be_row(stored.shape, sizes[row])) continue;
    throw FormatError(path + " is invalid: sample " + std::to_string(row) + " has " + std::to_string(sizes[row]) +
                      " bytes, which cannot be decoded to " + to_string(stored.shape));
  }
  std::shared_ptr<const RowTables> tables;
  if (stored.tables) {
    const std::string tables_path = dataset_path(split, std::string(stored.prefix) + "row_tables");
    tables = read_row_tables(file, codec, *stored.tables, tables_path);
  }
  const auto step = static_cast<std::uint32_t>(value_step(static_cast<int>(stored.max_error)));
  RowOffsets rows = RowOffsets::of_sizes(sizes, std::move(tables), step);
  if (rows.total_bytes() != stored.rows.bytes) {
    throw FormatError(path + " is invalid: the rows have " + std::to_string(rows.total_bytes()) +
                      " bytes together, and their dataset has " + std::to_string(stored.rows.bytes));
  }
  return rows;
}

}  // namespace

Index read_index(const ByteSource& file, const Header& header) {
  const bool inside = header.index_offset >= kHeaderBytes && header.index_offset <= header.file_length &&
                      header.index_length <= header.file_length - header.index_offset;
  if (!inside || header.index_length > kMostIndexBytes) {
    throw FormatError("the header places an index of " + std::to_string(header.index_length) + " bytes at byte " +
                      std::to_string(header.index_offset) + " of " + std::to_string(header.file_length) +
                      ", which is impossible; get the file again");
  }
  std::string text(static_cast<std::size_t>(header.index_length), '\0');
  file.read_at(header.index_offset, std::as_writable_bytes(std::span(text)));
  if (hash_bytes(std::as_bytes(std::span(text))) != header.index_hash) {
    throw FormatError(
        "its index is damaged (its hash does not match); get the file again, or rebuild it with "
        "`octavo reindex`");
  }
  Index index = decode_index(text);
  if (index.version != header.version) throw FormatError("its index is invalid: its version differs from the header");
  check_index(index, header);
  start_tables(file, index);
  if (!index.codec->rows_stand_alone) {
    read_chunk_tables(file, index);
    check_index(index, header);  // now including the chunks
  }
  for (SplitEntry& split : index.splits) {
    const SampleShape mask = {split.masks ? 1 : 0, split.shape.height, split.shape.width};
    split.rows = read_row_offsets(file, split, *index.codec,
                                  {split.row_bytes, split.row_tables, split.images, split.shape, "", split.max_error});
    split.mask_rows =
        read_row_offsets(file, split, *index.codec,
                         {split.mask_row_bytes, split.mask_row_tables, split.masks.value_or(Extent()), mask, "mask_"});
  }
  return index;
}

}  // namespace octavo::dataset_file
