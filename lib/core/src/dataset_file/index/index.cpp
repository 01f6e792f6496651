#include "dataset_file/index/index.hpp"

#include <algorithm>

#include <octavo/errors.hpp>

#include "dataset_file/chunks/chunk_table.hpp"
#include "dataset_file/limits.hpp"
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
    } else {
      all.push_back({dataset_path(split, "chunks"), split.chunked->table});
      for (const StoredChunk& chunk : split.chunked->chunks) all.push_back({images, chunk.extent});
    }
    if (split.labels) all.push_back({dataset_path(split, "labels"), *split.labels});
    if (split.masks) all.push_back({dataset_path(split, "masks"), *split.masks});
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

/// Requires checked fields, so that no table is longer than the file.
void read_chunk_tables(const ByteSource& file, Index& index) {
  for (SplitEntry& split : index.splits) {
    if (!split.chunked) continue;
    const Extent& table = split.chunked->table;
    std::vector<std::byte> bytes(static_cast<std::size_t>(table.bytes));
    file.read_at(table.offset, bytes);
    const std::string path = dataset_path(split, "chunks");
    if (hash_bytes(bytes) != table.hash) {
      throw FormatError(path + " is damaged (its hash does not match); get the file again");
    }
    try {
      split.chunked->chunks = decode_chunk_table(bytes, split.chunk_layout().chunk_bytes(), *index.codec);
    } catch (const FormatError& problem) {
      throw FormatError(path + " is invalid: " + problem.what());
    }
  }
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
  if (index.codec->rows_stand_alone) return index;
  read_chunk_tables(file, index);
  check_index(index, header);  // now including the chunks
  return index;
}

}  // namespace octavo::dataset_file
