#include "dataset_file/rebuild/foreign_file.hpp"

#include <algorithm>
#include <cstring>

#include <octavo/errors.hpp>
#include <octavo/version.hpp>

#include "dataset_file/rebuild/foreign_extras.hpp"
#include "dataset_file/rebuild/foreign_split.hpp"
#include "format/index/index.hpp"
#include "format/limits.hpp"
#include "hdf5/hdf5_reading.hpp"
#include "hdf5/session.hpp"
#include "support/text/short_text.hpp"

namespace octavo::dataset_file {
namespace {

using hdf5::check;
using hdf5::own;

herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

std::vector<std::string> member_names(hid_t group) {
  std::vector<std::string> names;
  check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, &collect_name, &names), "list a group");
  return names;
}

/// Whether the member is a group that holds images. Refuses links to other locations.
bool is_split(hid_t file, const std::string& name) {
  if (!has_member(file, name)) return false;
  H5O_info_t object{};
  check(H5Oget_info_by_name(file, name.c_str(), &object, H5P_DEFAULT), "look at " + name);
  if (object.type != H5O_TYPE_GROUP) return false;
  const auto group = own<hdf5::GroupHandle>(H5Gopen2(file, name.c_str(), H5P_DEFAULT), "open " + name);
  return has_member(group.get(), "images");
}

/// The bytes of a uint8 list at the root; empty if it is missing or invalid.
std::string read_bytes(hid_t file, const char* name, std::int64_t file_bytes) {
  if (!has_member(file, name)) return {};
  const ForeignDataset dataset(file, name, "/" + std::string(name), file_bytes);
  if (!dataset.holds(H5T_INTEGER, 1) || dataset.axes().size() != 1 || dataset.axes()[0] > kMostIndexBytes) return {};
  std::string bytes(static_cast<std::size_t>(dataset.axes()[0]), '\0');
  dataset.read_rows(0, dataset.axes()[0], H5T_NATIVE_UINT8, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

/// The order of splits in the old index; empty if it cannot be read.
std::vector<std::string> old_order(const std::string& index_text) {
  try {
    std::vector<std::string> names;
    for (const SplitEntry& split : decode_index(index_text).splits) names.push_back(split.name);
    return names;
  } catch (const FormatError&) {
    return {};
  }
}

std::vector<std::string> split_names(hid_t file, std::int64_t file_bytes) {
  std::vector<std::string> names;
  for (const std::string& name : member_names(file)) {
    if (is_split(file, name)) names.push_back(name);
  }
  const auto order = old_order(read_bytes(file, "index", file_bytes));
  const auto place = [&](const std::string& name) {
    return std::find(order.begin(), order.end(), name) - order.begin();
  };
  std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return names;
}

std::vector<std::string> read_variable_names(const ForeignDataset& dataset, hid_t type) {
  dataset.check_all_chunks();
  std::vector<char*> texts(static_cast<std::size_t>(dataset.axes()[0]), nullptr);
  check(H5Dread(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()), "read /classes");
  std::vector<std::string> names;
  for (const char* text : texts) names.emplace_back(text == nullptr ? "" : text);
  return names;  // the child process frees the texts when it exits
}

std::vector<std::string> read_class_names(hid_t file, std::int64_t file_bytes) {
  if (!has_member(file, "classes")) return {};
  const ForeignDataset dataset(file, "classes", "/classes", file_bytes);
  const auto type = own<hdf5::TypeHandle>(H5Dget_type(dataset.id()), "read a type");
  if (H5Tget_class(type.get()) != H5T_STRING || dataset.axes().size() != 1) dataset.fail("is not a list of texts");
  if (H5Tis_variable_str(type.get()) > 0) return read_variable_names(dataset, type.get());
  const std::size_t width = H5Tget_size(type.get());
  if (width > kMostNameBytes + 1) dataset.fail("has names of more than 255 bytes");
  std::string table(width * static_cast<std::size_t>(dataset.axes()[0]), '\0');
  dataset.read_rows(0, dataset.axes()[0], type.get(), std::as_writable_bytes(std::span(table)));
  std::vector<std::string> names;
  for (std::size_t at = 0; at < table.size(); at += width) {
    names.emplace_back(table.data() + at, ::strnlen(table.data() + at, width));
  }
  return names;
}

/// Checks that this is a dataset file, and returns its format version.
std::int64_t checked_version(hid_t file) {
  const auto root = own<hdf5::GroupHandle>(H5Gopen2(file, "/", H5P_DEFAULT), "open /");
  if (hdf5::read_text_attribute(root.get(), "format") != "octavo") {
    throw FormatError("an HDF5 file, but not an Octavo dataset file");
  }
  const auto version = hdf5::read_number_attribute(root.get(), "format_version");
  if (!version || version->front() < 1 || version->front() > kFormatVersion) {
    throw FormatError("this build cannot read its format version; update Octavo");
  }
  return static_cast<std::int64_t>(version->front());
}

}  // namespace

std::int64_t rows_per_block(std::int64_t row_bytes) {
  constexpr std::int64_t kBlockBytes = std::int64_t{1} << 20;
  constexpr std::int64_t kMostRows = 4096;
  return std::clamp<std::int64_t>(kBlockBytes / row_bytes, 1, kMostRows);
}

void send_foreign_file(const std::filesystem::path& path, const hdf5::ChildOutput& output) {
  const hdf5::Session session;
  const auto file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  const auto file = hdf5::open_hdf5(path);
  const std::int64_t version = checked_version(file.get());
  std::vector<ForeignSplit> splits;
  Json description = {{"splits", Json::array()}};
  const std::vector<std::string> names = split_names(file.get(), file_bytes);
  for (const std::string& name : names) {
    splits.emplace_back(file.get(), name, version, file_bytes);
    description["splits"].push_back(splits.back().description());
  }
  const auto root = own<hdf5::GroupHandle>(H5Gopen2(file.get(), "/", H5P_DEFAULT), "open /");
  description["uuid"] = hdf5::read_text_attribute(root.get(), "uuid").value_or("");
  description["left_out"] = foreign_extras(file.get(), names, version);
  description["class_names"] = read_class_names(file.get(), file_bytes);
  // Invalid UTF-8 becomes U+FFFD, or is refused as a name.
  output.send(kDescription, description.dump(-1, ' ', false, Json::error_handler_t::replace));
  output.send(kDescription, read_bytes(file.get(), "provenance", file_bytes));
  for (const ForeignSplit& split : splits) split.send_rows(output);
}

}  // namespace octavo::dataset_file
