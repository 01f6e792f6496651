// Checks the fields of an index against each other.
#include <algorithm>
#include <initializer_list>
#include <set>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "format/chunks/chunk_table.hpp"
#include "format/index/index.hpp"
#include "format/limits.hpp"
#include "support/checked_math.hpp"
#include "support/text/short_text.hpp"

namespace octavo::dataset_file {
namespace {

[[noreturn]] void fail(const std::string& where, const std::string& problem) {
  throw FormatError("its index is invalid: " + where + ": " + problem);
}

void check_bytes(const std::string& path, const Extent& extent, std::initializer_list<std::int64_t> factors) {
  const auto expected = checked_product(factors);
  if (!expected || extent.bytes != *expected) {
    fail(path, std::to_string(extent.bytes) + " bytes do not match its shape");
  }
}

void check_names(const SplitEntry& split) {
  if (split.names.has_value() != split.name_offsets.has_value())
    fail(split.name, "names without offsets, or offsets without names");
  if (!split.names) return;
  check_bytes(dataset_path(split, "name_offsets"), *split.name_offsets, {split.sample_count + 1, 8});
  const auto most = checked_product({split.sample_count, static_cast<std::int64_t>(kMostNameBytes) + 1});
  if (!most || split.names->bytes < split.sample_count || split.names->bytes > *most) {
    fail(dataset_path(split, "names"), std::to_string(split.names->bytes) + " bytes do not match its samples");
  }
}

void check_columns(const SplitEntry& split) {
  if (split.columns_dataset.has_value() == split.columns.empty()) {
    fail(split.name, "columns without a dataset, or a dataset without columns");
  }
  if (split.columns_dataset && split.columns_dataset->bytes > kMostColumnBytes) {
    fail(dataset_path(split, "columns"),
         std::to_string(split.columns_dataset->bytes) + " bytes; expected at most 1 GiB");
  }
}

/// What decodes rows is small.
void check_row_tables(const SplitEntry& split, const std::optional<Extent>& tables, const char* name) {
  if (!tables || tables->bytes <= kMostRowTableBytes) return;
  fail(dataset_path(split, name),
       std::to_string(tables->bytes) + " bytes; expected at most " + std::to_string(kMostRowTableBytes));
}

/// Plain images: their size follows from the shape. Coded rows: checks the length of their tables; their sizes are
/// checked when they are read. Deflated images: checks the chunk size and the table's length.
void check_images(const SplitEntry& split) {
  if (split.max_error < 0 || split.max_error > kMostMaxError || (split.max_error > 0 && !split.row_bytes)) {
    fail(split.name, "max_error is " + std::to_string(split.max_error) + "; expected 0 to " +
                         std::to_string(kMostMaxError) + ", and 0 without coded rows");
  }
  if (split.row_bytes) {
    check_row_tables(split, split.row_tables, "row_tables");
    check_row_tables(split, split.mask_row_tables, "mask_row_tables");
    check_bytes(dataset_path(split, "row_bytes"), *split.row_bytes, {split.sample_count, 4});
    return check_bytes(dataset_path(split, "decoded_checksums"), *split.decoded_checksums, {split.sample_count, 8});
  }
  if (!split.chunked) {
    return check_bytes(dataset_path(split, "images"), split.images, {split.sample_count, split.shape.values()});
  }
  const std::int64_t per_chunk = split.chunked->samples_per_chunk;
  const bool is_possible = per_chunk >= 1 && per_chunk <= split.sample_count;
  const auto bytes = checked_product({per_chunk, split.shape.values()});
  if (!is_possible || !bytes || *bytes > kMostChunkBytes) {
    fail(split.name, "chunks of " + std::to_string(per_chunk) + " samples; expected 1 to all, at most 256 MiB");
  }
  check_bytes(dataset_path(split, "chunks"), split.chunked->table,
              {split.chunk_layout().chunk_count(), kChunkEntryBytes});
}

void check_datasets(const SplitEntry& split) {
  const SampleShape& shape = split.shape;
  const std::int64_t count = split.sample_count;
  check_images(split);
  if (split.labels.has_value() != (split.label_layout.kind != LabelKind::none)) {
    fail(split.name, "it lists labels without a label kind, or a label kind without labels");
  }
  if (split.labels) {
    check_bytes(dataset_path(split, "labels"), *split.labels, {count, split.label_layout.bytes_per_sample()});
  }
  if (split.mask_row_bytes)
    check_bytes(dataset_path(split, "mask_row_bytes"), *split.mask_row_bytes, {count, 4});
  else if (split.masks)
    check_bytes(dataset_path(split, "masks"), *split.masks, {count, shape.height, shape.width});
  check_bytes(dataset_path(split, "checksums"), split.checksums, {count, 8});
  check_bytes(dataset_path(split, "histogram"), split.histogram, {shape.channels, 256, 8});
  check_bytes(dataset_path(split, "mean_image"), split.mean_image, {shape.values(), 4});
  check_names(split);
  check_columns(split);
}

void check_split(const SplitEntry& split, std::int64_t file_length) {
  if (!is_split_name(split.name)) fail("splits", "a split name is not allowed");
  if (const auto problem = layout_problem(split.shape, split.label_layout, split.sample_count))
    fail(split.name, *problem);
  // Before any memory is allocated: no split is larger than its file. Each sample of a compressed split has at least an
  // uncompressed checksum; its chunks or rows are compared with their stored sizes later.
  const std::int64_t least_bytes = split.chunked || split.row_bytes ? 8 : split.shape.values();
  if (split.sample_count > file_length / least_bytes) fail(split.name, "more samples than the file can hold");
  if (const auto problem = quantization_problem(split.quantization, split.shape.channels)) fail(split.name, *problem);
  const auto channels = static_cast<std::size_t>(split.shape.channels);
  if (split.mean.size() != channels || split.standard_deviation.size() != channels) {
    fail(split.name, "mean or std does not have one number per channel");
  }
  check_datasets(split);
}

void check_classes(const Index& index) {
  if (index.classes.has_value() != !index.class_names.empty())
    fail("classes", "class names without a dataset, or a dataset without class names");
  if (!index.classes) return;
  check_bytes("/classes", *index.classes,
              {static_cast<std::int64_t>(index.class_names.size()), class_name_bytes(index.class_names)});
}

/// Every extent is after the header and inside the file, and overlaps no other.
void check_places(const Index& index, const Header& header) {
  std::vector<NamedExtent> all = extents_of(index);
  all.push_back({"/index", {header.index_offset, header.index_length, header.index_hash}});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.extent.offset < b.extent.offset; });
  std::int64_t free_from = kHeaderBytes;
  for (const auto& [path, extent] : all) {
    const auto end = checked_sum(extent.offset, extent.bytes);
    if (!end || *end > header.file_length) fail(path, "ends outside the file");
    if (extent.bytes < 1) fail(path, "is empty");
    if (extent.offset < free_from) fail(path, "overlaps the header or another dataset");
    free_from = *end;
  }
}

}  // namespace

void check_index(const Index& index, const Header& header) {
  if (index.splits.empty() || index.splits.size() > kMostSplits) {
    fail("splits", "found " + std::to_string(index.splits.size()) + "; expected 1 to " + std::to_string(kMostSplits));
  }
  std::set<std::string> names;
  for (const SplitEntry& split : index.splits) {
    check_split(split, header.file_length);
    if (!names.insert(split.name).second) fail(split.name, "two splits have this name");
  }
  check_classes(index);
  check_places(index, header);
}

}  // namespace octavo::dataset_file
