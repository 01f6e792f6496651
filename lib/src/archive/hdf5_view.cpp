#include "archive/hdf5_view.hpp"

#include <algorithm>

#include <octavo/version.hpp>

#include "archive/hdf5_reading.hpp"
#include "archive/limits.hpp"
#include "archive/skeleton.hpp"
#include "hdf5/session.hpp"

namespace octavo::archive {
namespace {

using hdf5::own;

/// One dataset as HDF5 should show it.
struct ExpectedDataset {
  std::string path;
  Element element;
  std::vector<std::int64_t> axes;
  std::int64_t offset;
  std::int64_t text_bytes = 0;
};

void expect_split(std::vector<ExpectedDataset>& all, const SplitEntry& split) {
  const SampleShape& shape = split.shape;
  const std::int64_t count = split.sample_count;
  const auto add = [&](const char* name, Element element, std::vector<std::int64_t> axes, const Extent& extent) {
    all.push_back({dataset_path(split, name), element, std::move(axes), extent.offset});
  };
  add("images", Element::int8, {count, shape.channels, shape.height, shape.width}, split.images);
  if (split.labels) {
    const LabelKind kind = split.label_layout.kind;
    std::vector<std::int64_t> axes = {count};
    if (kind != LabelKind::class_index) axes.push_back(split.label_layout.width);
    add("labels", kind == LabelKind::target ? Element::float32 : Element::int32, axes, *split.labels);
  }
  add("checksums", Element::uint64, {count}, split.checksums);
  add("histogram", Element::int64, {shape.channels, 256}, split.histogram);
  add("mean_image", Element::float32, {shape.channels, shape.height, shape.width}, split.mean_image);
  if (split.names) add("names", Element::uint8, {split.names->bytes}, *split.names);
  if (split.name_offsets) add("name_offsets", Element::uint64, {count + 1}, *split.name_offsets);
}

std::vector<ExpectedDataset> expected_datasets(const Header& header, const Index& index) {
  std::vector<ExpectedDataset> all;
  for (const SplitEntry& split : index.splits) expect_split(all, split);
  if (index.classes) {
    all.push_back({"/classes",
                   Element::text,
                   {static_cast<std::int64_t>(index.class_names.size())},
                   index.classes->offset,
                   class_name_bytes(index.class_names)});
  }
  all.push_back({"/provenance", Element::uint8, {index.provenance.bytes}, index.provenance.offset});
  all.push_back({"/index", Element::uint8, {header.index_length}, header.index_offset});
  return all;
}

/// Compares one open file piece by piece.
class Comparison {
 public:
  Comparison(hid_t file, const ReportDifference& report) : file_(file), report_(report) {}

  void dataset(const ExpectedDataset& expected) const {
    const hdf5::DatasetHandle dataset(H5Dopen2(file_, expected.path.c_str(), H5P_DEFAULT));
    if (!dataset) return report_(expected.path, "HDF5 does not find it");
    const auto type = own<hdf5::TypeHandle>(H5Dget_type(dataset.get()), "read a type");
    if (H5Tequal(type.get(), type_of(expected.element, expected.text_bytes).get()) <= 0) {
      report_(expected.path, "HDF5 shows another type than the index");
    }
    if (axes_of(dataset.get()) != expected.axes) report_(expected.path, "HDF5 shows another shape than the index");
    if (H5Dget_offset(dataset.get()) != static_cast<haddr_t>(expected.offset)) {
      report_(expected.path, "HDF5 finds it at another place than the index");
    }
  }

  void text(const std::string& path, const char* name, std::string_view expected) const {
    if (read_text_attribute(open(path).get(), name) != std::string(expected)) differs(path, name);
  }
  void numbers(const std::string& path, const char* name, const std::vector<double>& expected) const {
    if (read_number_attribute(open(path).get(), name) != expected) differs(path, name);
  }

 private:
  hdf5::ObjectHandle open(const std::string& path) const {
    return own<hdf5::ObjectHandle>(H5Oopen(file_, path.c_str(), H5P_DEFAULT), "open " + path);
  }
  void differs(const std::string& path, const char* name) const {
    report_(path, std::string("its attribute ") + name + " is not what the index says");
  }

  hid_t file_;
  const ReportDifference& report_;
};

void compare_split(const Comparison& compare, const SplitEntry& split) {
  const std::string group = "/" + split.name;
  std::vector<double> scale;
  std::vector<double> zero_point;
  for (const ChannelQuantisation& one : split.quantisation) {
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
  const auto& first = split.quantisation.front();
  if (std::count(split.quantisation.begin(), split.quantisation.end(), first) != split.shape.channels) return;
  compare.numbers(group + "/images", "scale_factor", {first.scale});
  compare.numbers(group + "/images", "add_offset", {128.0 * first.scale + first.zero_point});
}

}  // namespace

void compare_hdf5_view(const std::filesystem::path& path, const Header& header, const Index& index,
                       const ReportDifference& report) {
  const hdf5::Session session;
  const auto file = open_hdf5(path);
  const Comparison compare(file.get(), report);
  compare.text("/", "format", "octavo");
  compare.numbers("/", "format_version", {static_cast<double>(kFormatVersion)});
  compare.text("/", "uuid", index.uuid);
  compare.text("/", "created", index.created);
  compare.text("/", "writer", index.writer);
  for (const ExpectedDataset& dataset : expected_datasets(header, index)) compare.dataset(dataset);
  for (const SplitEntry& split : index.splits) compare_split(compare, split);
}

}  // namespace octavo::archive
