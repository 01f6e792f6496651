#include "dataset_file/check/hdf5_view.hpp"

#include <algorithm>

#include <octavo/version.hpp>

#include "dataset_file/write/skeleton.hpp"
#include "format/chunks/chunk_table.hpp"
#include "format/limits.hpp"
#include "hdf5/hdf5_reading.hpp"
#include "hdf5/session.hpp"

namespace octavo::dataset_file {
namespace {

using hdf5::own;

/// The expected HDF5 view of one dataset.
struct ExpectedDataset {
  std::string path;
  StoredType element;
  std::vector<std::int64_t> axes;
  std::int64_t offset;
  std::int64_t text_bytes = 0;
};

void expect_split(std::vector<ExpectedDataset>& all, const SplitEntry& split) {
  const SampleShape& shape = split.shape;
  const std::int64_t count = split.sample_count;
  const auto add = [&](const char* name, StoredType element, std::vector<std::int64_t> axes, const Extent& extent) {
    all.push_back({dataset_path(split, name), element, std::move(axes), extent.offset});
  };
  if (split.chunked) {
    add("chunks", StoredType::uint64, {split.chunk_layout().chunk_count(), kChunkEntryWords}, split.chunked->table);
  } else if (split.row_bytes) {
    add("images", StoredType::uint8, {split.images.bytes}, split.images);
    add("row_bytes", StoredType::uint32, {count}, *split.row_bytes);
    if (split.row_tables) add("row_tables", StoredType::uint8, {split.row_tables->bytes}, *split.row_tables);
    add("decoded_checksums", StoredType::uint64, {count}, *split.decoded_checksums);
  } else {
    add("images", StoredType::int8, {count, shape.channels, shape.height, shape.width}, split.images);
  }
  if (split.labels) {
    const LabelKind kind = split.label_layout.kind;
    std::vector<std::int64_t> axes = {count};
    if (kind != LabelKind::class_index) axes.push_back(split.label_layout.width);
    add("labels", kind == LabelKind::target ? StoredType::float32 : StoredType::int32, axes, *split.labels);
  }
  if (split.mask_row_bytes) {
    add("masks", StoredType::uint8, {split.masks->bytes}, *split.masks);
    add("mask_row_bytes", StoredType::uint32, {count}, *split.mask_row_bytes);
    if (split.mask_row_tables) {
      add("mask_row_tables", StoredType::uint8, {split.mask_row_tables->bytes}, *split.mask_row_tables);
    }
  } else if (split.masks) {
    add("masks", StoredType::uint8, {count, 1, shape.height, shape.width}, *split.masks);
  }
  add("checksums", StoredType::uint64, {count}, split.checksums);
  add("histogram", StoredType::int64, {shape.channels, 256}, split.histogram);
  add("mean_image", StoredType::float32, {shape.channels, shape.height, shape.width}, split.mean_image);
  if (split.names) add("names", StoredType::uint8, {split.names->bytes}, *split.names);
  if (split.name_offsets) add("name_offsets", StoredType::uint64, {count + 1}, *split.name_offsets);
  if (split.columns_dataset) add("columns", StoredType::uint8, {split.columns_dataset->bytes}, *split.columns_dataset);
}

std::vector<ExpectedDataset> expected_datasets(const Header& header, const Index& index) {
  std::vector<ExpectedDataset> all;
  for (const SplitEntry& split : index.splits) expect_split(all, split);
  if (index.classes) {
    all.push_back({"/classes",
                   StoredType::text,
                   {static_cast<std::int64_t>(index.class_names.size())},
                   index.classes->offset,
                   class_name_bytes(index.class_names)});
  }
  all.push_back({"/provenance", StoredType::uint8, {index.provenance.bytes}, index.provenance.offset});
  all.push_back({"/index", StoredType::uint8, {header.index_length}, header.index_offset});
  return all;
}

/// Compares an open file with the index, object by object.
class Comparison {
 public:
  Comparison(hid_t file, const ReportDifference& report) : file_(file), report_(report) {}

  void dataset(const ExpectedDataset& expected) const {
    const hdf5::DatasetHandle dataset(H5Dopen2(file_, expected.path.c_str(), H5P_DEFAULT));
    if (!dataset) return report_(expected.path, "HDF5 cannot find it");
    const auto type = own<hdf5::TypeHandle>(H5Dget_type(dataset.get()), "read a type");
    if (H5Tequal(type.get(), type_of(expected.element, expected.text_bytes).get()) <= 0) {
      report_(expected.path, "its HDF5 type differs from the index");
    }
    if (hdf5::axes_of(dataset.get()) != expected.axes) report_(expected.path, "its HDF5 shape differs from the index");
    if (H5Dget_offset(dataset.get()) != static_cast<haddr_t>(expected.offset)) {
      report_(expected.path, "its HDF5 offset differs from the index");
    }
  }

  void chunked_images(const SplitEntry& split) const {
    const std::string path = dataset_path(split, "images");
    const hdf5::DatasetHandle dataset(H5Dopen2(file_, path.c_str(), H5P_DEFAULT));
    if (!dataset) return report_(path, "HDF5 cannot find it");
    const auto type = own<hdf5::TypeHandle>(H5Dget_type(dataset.get()), "read a type");
    if (H5Tequal(type.get(), H5T_STD_I8LE) <= 0) report_(path, "its HDF5 type differs from the index");
    const SampleShape& shape = split.shape;
    if (hdf5::axes_of(dataset.get()) !=
        std::vector<std::int64_t>{split.sample_count, shape.channels, shape.height, shape.width}) {
      return report_(path, "its HDF5 shape differs from the index");
    }
    if (!has_expected_chunks(dataset.get(), split)) {
      return report_(path, "its HDF5 compression or chunk layout differs from the index");
    }
    chunk_places(dataset.get(), path, split);
  }

  void text(const std::string& path, const char* name, std::string_view expected) const {
    if (hdf5::read_text_attribute(open(path).get(), name) != std::string(expected)) differs(path, name);
  }
  void numbers(const std::string& path, const char* name, const std::vector<double>& expected) const {
    if (hdf5::read_number_attribute(open(path).get(), name) != expected) differs(path, name);
  }

 private:
  hdf5::ObjectHandle open(const std::string& path) const {
    return own<hdf5::ObjectHandle>(H5Oopen(file_, path.c_str(), H5P_DEFAULT), "open " + path);
  }
  static bool has_expected_chunks(hid_t dataset, const SplitEntry& split) {
    const auto list = own<hdf5::PropertiesHandle>(H5Dget_create_plist(dataset), "read the chunk settings");
    if (H5Pget_layout(list.get()) != H5D_CHUNKED || H5Pget_nfilters(list.get()) != 1) return false;
    unsigned flags = 0;
    std::size_t value_count = 0;
    const H5Z_filter_t filter = H5Pget_filter2(list.get(), 0, &flags, &value_count, nullptr, 0, nullptr, nullptr);
    hsize_t axes[4] = {};
    const auto expected = {split.chunked->samples_per_chunk, split.shape.channels, split.shape.height,
                           split.shape.width};
    return filter == static_cast<H5Z_filter_t>(split.chunked->codec->hdf5_filter) &&
           H5Pget_chunk(list.get(), 4, axes) == 4 &&
           std::equal(expected.begin(), expected.end(), axes, axes + 4,
                      [](std::int64_t wanted, hsize_t axis) { return axis == static_cast<hsize_t>(wanted); });
  }

  /// HDF5 needs more time per chunk the more chunks there are, so this checks an evenly spaced subset of many.
  void chunk_places(hid_t dataset, const std::string& path, const SplitEntry& split) const {
    constexpr std::int64_t kMostAsked = 1000;
    const ChunkLayout layout = split.chunk_layout();
    const std::int64_t step = (layout.chunk_count() + kMostAsked - 1) / kMostAsked;
    for (std::int64_t number = 0; number < layout.chunk_count(); number += step) {
      const StoredChunk& chunk = split.chunked->chunks[static_cast<std::size_t>(number)];
      const hsize_t place[4] = {static_cast<hsize_t>(layout.first_row(number)), 0, 0, 0};
      unsigned filter_mask = 0;
      haddr_t offset = HADDR_UNDEF;
      hsize_t bytes = 0;
      hdf5::check(H5Dget_chunk_info_by_coord(dataset, place, &filter_mask, &offset, &bytes), "find a chunk");
      // Before HDF5 1.14.4, offsets do not include the user block.
      const auto expected = static_cast<haddr_t>(chunk.extent.offset);
      const bool is_there = offset == expected || offset + static_cast<haddr_t>(kHeaderBytes) == expected;
      const bool is_equal =
          is_there && bytes == static_cast<hsize_t>(chunk.extent.bytes) && filter_mask == (chunk.is_encoded ? 0u : 1u);
      if (!is_equal)
        return report_(path, "the HDF5 offset of chunk " + std::to_string(number) + " differs from the index");
    }
  }

  void differs(const std::string& path, const char* name) const {
    report_(path, std::string("its attribute ") + name + " differs from the index");
  }

  hid_t file_;
  const ReportDifference& report_;
};

void compare_split(const Comparison& compare, const Codec& codec, const SplitEntry& split) {
  const std::string group = "/" + split.name;
  std::vector<double> scale;
  std::vector<double> zero_point;
  for (const ChannelQuantization& one : split.quantization) {
    scale.push_back(one.scale);
    zero_point.push_back(one.zero_point);
  }
  compare.numbers(group, "mean", split.mean);
  compare.numbers(group, "std", split.standard_deviation);
  compare.numbers(group, "scale", scale);
  compare.numbers(group, "zero_point", zero_point);
  compare.text(group, "source_dtype", split.source_dtype);
  compare.text(group, "color", to_text(split.color));
  compare.text(group, "layout", "NCHW");
  if (split.mask_row_bytes) compare.text(group + "/masks", "encoding", codec.name_in_index);
  if (split.row_bytes) {
    compare.text(group + "/images", "encoding", codec.name_in_index);
    if (split.max_error != 0) {
      compare.numbers(group + "/images", "max_error", {static_cast<double>(split.max_error)});
    }
    return;
  }
  const auto& first = split.quantization.front();
  if (std::count(split.quantization.begin(), split.quantization.end(), first) != split.shape.channels) return;
  compare.numbers(group + "/images", "scale_factor", {first.scale});
  compare.numbers(group + "/images", "add_offset", {128.0 * first.scale + first.zero_point});
}

}  // namespace

void compare_hdf5_view(const std::filesystem::path& path, const Header& header, const Index& index,
                       const ReportDifference& report) {
  const hdf5::Session session;
  const auto file = hdf5::open_hdf5(path);
  const Comparison compare(file.get(), report);
  compare.text("/", "format", "octavo");
  compare.numbers("/", "format_version", {static_cast<double>(header.version)});
  compare.text("/", "uuid", index.uuid);
  compare.text("/", "created", index.created);
  compare.text("/", "writer", index.writer);
  for (const ExpectedDataset& dataset : expected_datasets(header, index)) compare.dataset(dataset);
  for (const SplitEntry& split : index.splits) {
    if (split.chunked) compare.chunked_images(split);
    compare_split(compare, *index.codec, split);
  }
}

}  // namespace octavo::dataset_file
