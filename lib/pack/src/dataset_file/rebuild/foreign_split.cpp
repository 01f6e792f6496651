#include "dataset_file/rebuild/foreign_split.hpp"

#include <algorithm>
#include <cmath>

#include <octavo/errors.hpp>

#include "dataset_file/rebuild/foreign_file.hpp"
#include "format/coded_rows/decode_rows.hpp"
#include "format/limits.hpp"
#include "hdf5/hdf5_reading.hpp"
#include "hdf5/session.hpp"
#include "support/text/short_text.hpp"

namespace octavo::dataset_file {
namespace {

template <typename Value>
std::vector<Value> read_values(const ForeignDataset& dataset, std::int64_t first, std::int64_t count, hid_t type,
                               std::int64_t values_per_row = 1) {
  std::vector<Value> values(static_cast<std::size_t>(count * values_per_row));
  dataset.read_rows(first, count, type, std::as_writable_bytes(std::span(values)));
  return values;
}

template <typename Value>
void send_values(const hdf5::ChildOutput& output, char kind, const std::vector<Value>& values) {
  output.send(kind, std::as_bytes(std::span(values)));
}

}  // namespace

ForeignSplit::ForeignSplit(hid_t file, const std::string& name, std::int64_t version, std::int64_t file_bytes)
    : name_(name), group_(hdf5::own<hdf5::GroupHandle>(H5Gopen2(file, name.c_str(), H5P_DEFAULT), "open /" + name)) {
  images_ = open("images", file_bytes);
  labels_ = open("labels", file_bytes);
  if (version >= 2) masks_ = open("masks", file_bytes);
  // Other programs may give images [N,C,H,W] an attribute of this name.
  auto encoding = hdf5::read_text_attribute(images_->id(), "encoding");
  if (images_->axes().size() != 1) encoding.reset();
  checksums_ = open(encoding ? "decoded_checksums" : "checksums", file_bytes);
  names_ = open("names", file_bytes);
  name_offsets_ = open("name_offsets", file_bytes);
  if (version >= 3) columns_ = open("columns", file_bytes);
  if (encoding)
    read_coded_rows(*encoding, version, file_bytes);
  else
    read_shape();
  read_label_layout();
  if (const auto problem = layout_problem(shape_, label_layout_, sample_count_)) images_->fail("holds " + *problem);
  check_masks();
  check_companions();
}

std::optional<ForeignDataset> ForeignSplit::open(const char* dataset, std::int64_t file_bytes) const {
  if (!has_member(group_.get(), dataset)) return std::nullopt;
  return ForeignDataset(group_.get(), dataset, "/" + name_ + "/" + dataset, file_bytes);
}

void ForeignSplit::read_coded_rows(const std::string& encoding, std::int64_t version, std::int64_t file_bytes) {
  codec_ = find_codec(encoding);
  if (codec_ == nullptr || codec_->can_be_row == nullptr) images_->fail("has an unknown encoding; update Octavo");
  if (!images_->holds(H5T_INTEGER, 1)) images_->fail("is not uint8 [bytes]");
  const auto mean_image = open("mean_image", file_bytes);
  if (!mean_image || mean_image->axes().size() != 3) images_->fail("has no mean_image [C,H,W] with its shape");
  shape_ = {mean_image->axes()[0], mean_image->axes()[1], mean_image->axes()[2]};
  if (const auto problem = layout_problem(shape_, {}, 1)) images_->fail("holds " + *problem);
  const auto error = hdf5::read_number_attribute(images_->id(), "max_error");
  if (version >= 4 && error) {
    const double one = error->front();
    const bool is_possible = error->size() == 1 && one >= 1 && one <= kMostMaxError && one == std::floor(one);
    if (!is_possible) images_->fail("has an unknown max_error; update Octavo");
    max_error_ = static_cast<int>(error->front());
  }
  rows_ = read_rows("", *images_, shape_, file_bytes);
  sample_count_ = rows_.row_count();
  if (!masks_) return;
  if (masks_->axes().size() != 1 || !masks_->holds(H5T_INTEGER, 1)) masks_->fail("is not uint8 [bytes]");
  mask_rows_ = read_rows("mask_", *masks_, mask_shape(), file_bytes);
  if (mask_rows_.row_count() != sample_count_) masks_->fail("does not have a row for each sample");
}

RowOffsets ForeignSplit::read_rows(const std::string& prefix, const ForeignDataset& rows, const SampleShape& shape,
                                   std::int64_t file_bytes) const {
  const auto sizes = open((prefix + "row_bytes").c_str(), file_bytes);
  if (!sizes || sizes->axes().size() != 1 || !sizes->holds(H5T_INTEGER, 4)) {
    rows.fail("has no " + prefix + "row_bytes, uint32 [N]");
  }
  const auto row_bytes = read_values<std::uint32_t>(*sizes, 0, sizes->axes()[0], H5T_NATIVE_UINT32);
  for (std::size_t row = 0; row < row_bytes.size(); ++row) {
    if (codec_->can_be_row(shape, row_bytes[row])) continue;
    sizes->fail("has a size that no row has for sample " + std::to_string(row));
  }
  const auto step = static_cast<std::uint32_t>(prefix.empty() ? value_step(max_error_) : 1);
  RowOffsets offsets = RowOffsets::of_sizes(row_bytes, read_row_tables(prefix, rows, file_bytes), step);
  if (offsets.total_bytes() != rows.axes()[0]) sizes->fail("does not match the bytes of its rows");
  return offsets;
}

std::shared_ptr<const RowTables> ForeignSplit::read_row_tables(const std::string& prefix, const ForeignDataset& rows,
                                                               std::int64_t file_bytes) const {
  if (codec_->read_tables == nullptr) return nullptr;
  const auto tables = open((prefix + "row_tables").c_str(), file_bytes);
  if (!tables || tables->axes().size() != 1 || !tables->holds(H5T_INTEGER, 1) ||
      tables->axes()[0] > kMostRowTableBytes) {
    rows.fail("has no " + prefix + "row_tables, uint8 [bytes]");
  }
  try {
    return codec_->read_tables(read_values<std::byte>(*tables, 0, tables->axes()[0], H5T_NATIVE_UINT8));
  } catch (const FormatError& problem) {
    tables->fail(std::string("is invalid: ") + problem.what());
  }
}

void ForeignSplit::read_shape() {
  const auto& axes = images_->axes();
  if (axes.size() != 4 || !images_->holds(H5T_INTEGER, 1)) images_->fail("is not int8 [N,C,H,W]");
  const auto type = hdf5::own<hdf5::TypeHandle>(H5Dget_type(images_->id()), "read a type");
  if (H5Tget_sign(type.get()) != H5T_SGN_2) images_->fail("is not int8 [N,C,H,W]");
  sample_count_ = axes[0];
  shape_ = {axes[1], axes[2], axes[3]};
}

void ForeignSplit::read_label_layout() {
  if (!labels_) return;
  const auto& axes = labels_->axes();
  const bool whole_numbers = labels_->holds(H5T_INTEGER, 4);
  if (axes.empty() || axes[0] != sample_count_) labels_->fail("does not have one row per sample");
  if (whole_numbers && axes.size() == 1)
    label_layout_ = {LabelKind::class_index, 1};
  else if (whole_numbers && axes.size() == 2)
    label_layout_ = {LabelKind::multi_label, axes[1]};
  else if (labels_->holds(H5T_FLOAT, 4) && axes.size() == 2)
    label_layout_ = {LabelKind::target, axes[1]};
  else
    labels_->fail("is neither int32 [N], int32 [N,K] nor float32 [N,K]");
}

void ForeignSplit::check_masks() const {
  if (!masks_ || codec_ != nullptr) return;
  const std::vector<std::int64_t> expected = {sample_count_, 1, shape_.height, shape_.width};
  const auto type = hdf5::own<hdf5::TypeHandle>(H5Dget_type(masks_->id()), "read a type");
  if (!masks_->holds(H5T_INTEGER, 1) || H5Tget_sign(type.get()) != H5T_SGN_NONE || masks_->axes() != expected)
    masks_->fail("is not uint8 [N,1,H,W]");
}

void ForeignSplit::check_companions() const {
  const auto is_list = [](const ForeignDataset& dataset, std::size_t bytes) {
    return dataset.axes().size() == 1 && dataset.holds(H5T_INTEGER, bytes);
  };
  if (checksums_ && (!is_list(*checksums_, 8) || checksums_->axes()[0] != sample_count_)) {
    checksums_->fail("is not uint64 [N] for the " + std::to_string(sample_count_) +
                     " samples; adding or removing samples in place is not supported");
  }
  if (columns_ && (!is_list(*columns_, 1) || columns_->axes()[0] > kMostColumnBytes)) {
    columns_->fail("is not uint8 [bytes] of at most 1 GiB");
  }
  if (!names_ || !name_offsets_) return;
  const bool fit = is_list(*names_, 1) && is_list(*name_offsets_, 8) && name_offsets_->axes()[0] == sample_count_ + 1;
  if (!fit) names_->fail("and name_offsets do not match the samples");
}

std::string ForeignSplit::text_attribute(const char* name, const char* otherwise) const {
  return hdf5::read_text_attribute(group_.get(), name).value_or(otherwise);
}

std::vector<double> ForeignSplit::number_attribute(const char* name, double otherwise) const {
  const std::vector<double> none(static_cast<std::size_t>(shape_.channels), otherwise);
  return hdf5::read_number_attribute(group_.get(), name).value_or(none);
}

Json ForeignSplit::description() const {
  return {{"name", name_},
          {"samples", sample_count_},
          {"shape", {shape_.channels, shape_.height, shape_.width}},
          {"label_kind", to_text(label_layout_.kind)},
          {"label_width", label_layout_.width},
          {"color", text_attribute("color", "other")},
          {"source_dtype", text_attribute("source_dtype", "uint8")},
          {"scale", number_attribute("scale", 1.0)},
          {"zero_point", number_attribute("zero_point", 0.0)},
          {"compression", codec_ != nullptr        ? to_string(codec_->compression)
                          : images_->is_deflated() ? to_string(Compression::deflate)
                                                   : to_string(Compression::none)},
          {"max_error", max_error_},
          {"has_masks", masks_.has_value()},
          {"has_checksums", checksums_.has_value()},
          {"has_names", names_ && name_offsets_},
          {"column_bytes", columns_ ? columns_->axes()[0] : 0}};
}

void ForeignSplit::send_rows(const hdf5::ChildOutput& output) const {
  const std::int64_t block = rows_per_block(shape_.values() + label_layout_.bytes_per_sample());
  if (columns_) send_values(output, kColumns, read_values<char>(*columns_, 0, columns_->axes()[0], H5T_NATIVE_UINT8));
  const hid_t label_type = label_layout_.kind == LabelKind::target ? H5T_NATIVE_FLOAT : H5T_NATIVE_INT32;
  for (std::int64_t first = 0; first < sample_count_; first += block) {
    const std::int64_t count = std::min(block, sample_count_ - first);
    send_values(output, kCodes, read_codes(first, count));
    if (labels_) {
      send_values(output, kLabels, read_values<std::int32_t>(*labels_, first, count, label_type, label_layout_.width));
    }
    if (masks_) send_values(output, kMasks, read_masks(first, count));
    if (checksums_)
      send_values(output, kChecksums, read_values<std::uint64_t>(*checksums_, first, count, H5T_NATIVE_UINT64));
    if (names_ && name_offsets_) send_names(output, first, count);
  }
}

template <typename Value>
std::vector<Value> ForeignSplit::read_coded(const ForeignDataset& dataset, const SampleShape& shape,
                                            const RowOffsets& rows, std::int64_t first, std::int64_t count) const {
  const auto stored = read_values<std::byte>(dataset, rows[first], rows.bytes(first, count), H5T_NATIVE_UINT8);
  std::vector<Value> values(static_cast<std::size_t>(count * shape.values()));
  decode_rows(codec_->row_coding, shape, rows, {first, count, stored}, std::as_writable_bytes(std::span(values)));
  return values;
}

std::vector<std::int8_t> ForeignSplit::read_codes(std::int64_t first, std::int64_t count) const {
  if (codec_ != nullptr) return read_coded<std::int8_t>(*images_, shape_, rows_, first, count);
  return read_values<std::int8_t>(*images_, first, count, H5T_NATIVE_INT8, shape_.values());
}

std::vector<std::uint8_t> ForeignSplit::read_masks(std::int64_t first, std::int64_t count) const {
  if (codec_ != nullptr) return read_coded<std::uint8_t>(*masks_, mask_shape(), mask_rows_, first, count);
  return read_values<std::uint8_t>(*masks_, first, count, H5T_NATIVE_UINT8, shape_.values_per_channel());
}

void ForeignSplit::send_names(const hdf5::ChildOutput& output, std::int64_t first, std::int64_t count) const {
  const auto bounds = read_values<std::uint64_t>(*name_offsets_, first, count + 1, H5T_NATIVE_UINT64);
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const bool fits = bounds[i] < bounds[i + 1] && bounds[i + 1] - bounds[i] <= kMostNameBytes + 1;
    if (!fits || bounds[i + 1] > static_cast<std::uint64_t>(names_->axes()[0]))
      name_offsets_->fail("does not match the names");
  }
  const auto first_byte = static_cast<std::int64_t>(bounds.front());
  const auto byte_count = static_cast<std::int64_t>(bounds.back()) - first_byte;
  send_values(output, kNames, read_values<char>(*names_, first_byte, byte_count, H5T_NATIVE_UINT8));
}

}  // namespace octavo::dataset_file
