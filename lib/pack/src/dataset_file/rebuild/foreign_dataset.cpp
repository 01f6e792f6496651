#include "dataset_file/rebuild/foreign_dataset.hpp"

#include <algorithm>

#include <octavo/errors.hpp>

#include "dataset_file/check/filter_check.hpp"
#include "format/limits.hpp"
#include "hdf5/hdf5_reading.hpp"
#include "hdf5/session.hpp"
#include "support/checked_math.hpp"

namespace octavo::dataset_file {
namespace {

using hdf5::check;
using hdf5::own;

/// Deflate expands at most 1,032 times; a dataset that declares more is invalid.
constexpr std::int64_t kMostForeignExpansion = 1100;

hdf5::PropertiesHandle access_with_cache() {
  auto list = own<hdf5::PropertiesHandle>(H5Pcreate(H5P_DATASET_ACCESS), "create a property list");
  // Chunks of a compressed dataset are read whole; the cache holds one.
  check(H5Pset_chunk_cache(list.get(), 12421, static_cast<std::size_t>(kMostChunkBytes), 1.0), "set the chunk cache");
  return list;
}

}  // namespace

bool has_member(hid_t group, const std::string& name) {
  if (check(H5Lexists(group, name.c_str(), H5P_DEFAULT), "look for " + name) == 0) return false;
  H5L_info_t link{};
  check(H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT), "look at " + name);
  if (link.type != H5L_TYPE_HARD) {
    throw FormatError("\"" + name +
                      "\" is a link to another location or file, which is not followed; copy the data instead");
  }
  return true;
}

bool is_too_large(const std::vector<std::int64_t>& axes, std::size_t element_bytes, std::int64_t file_bytes) {
  const auto total = checked_array_bytes(axes, element_bytes);
  return !total || *total / kMostForeignExpansion > file_bytes;
}

ForeignDataset::ForeignDataset(hid_t group, const std::string& name, const std::string& path, std::int64_t file_bytes)
    : path_(path) {
  if (!has_member(group, name)) fail("is missing");
  H5O_info_t object{};
  check(H5Oget_info_by_name(group, name.c_str(), &object, H5P_DEFAULT), "look at " + path);
  if (object.type != H5O_TYPE_DATASET) fail("is not a dataset");
  dataset_ = own<hdf5::DatasetHandle>(H5Dopen2(group, name.c_str(), access_with_cache().get()), "open " + path);
  type_ = own<hdf5::TypeHandle>(H5Dget_type(dataset_.get()), "read the type of " + path);
  axes_ = hdf5::axes_of(dataset_.get());
  check_storage(file_bytes);
}

void ForeignDataset::fail(const std::string& problem) const { throw FormatError(path_ + " " + problem); }

/// Prepends the dataset's name to a reason.
template <typename Step>
void ForeignDataset::tell_reason(const Step& step) const {
  try {
    step();
  } catch (const FormatError& error) {
    fail(error.what());
  }
}

void ForeignDataset::check_storage(std::int64_t file_bytes) {
  const auto properties = own<hdf5::PropertiesHandle>(H5Dget_create_plist(dataset_.get()), "look at " + path_);
  if (check(H5Pget_external_count(properties.get()), "look at " + path_) != 0) fail("is stored in another file");
  const H5D_layout_t layout = H5Pget_layout(properties.get());
  if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED && layout != H5D_COMPACT) fail("is stored in other files");
  const int filter_count = check(H5Pget_nfilters(properties.get()), "look at " + path_);
  for (int i = 0; i < filter_count; ++i) {
    unsigned flags = 0;
    std::size_t value_count = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(properties.get(), static_cast<unsigned>(i), &flags, &value_count, nullptr, 0, nullptr, nullptr);
    if (const auto problem = filter_problem(filter, hdf5::file_name_of(dataset_.get()))) fail(*problem);
    is_deflated_ = is_deflated_ || filter == H5Z_FILTER_DEFLATE;
  }
  const std::size_t element_bytes = H5Tget_size(type_.get());
  if (layout == H5D_CHUNKED) {
    tell_reason([&] { chunks_.emplace(dataset_.get(), properties.get(), axes_, element_bytes); });
  }
  if (is_too_large(axes_, element_bytes, file_bytes)) fail("is declared far larger than the file");
}

bool ForeignDataset::holds(H5T_class_t element_class, std::size_t element_bytes) const {
  return H5Tget_class(type_.get()) == element_class && H5Tget_size(type_.get()) == element_bytes;
}

void ForeignDataset::check_all_chunks() const {
  if (chunks_) tell_reason([&] { chunks_->check_rows(0, axes_[0]); });
}

void ForeignDataset::read_rows(std::int64_t first, std::int64_t count, hid_t memory_type,
                               std::span<std::byte> out) const {
  std::vector<hsize_t> start(axes_.size(), 0);
  std::vector<hsize_t> counts(axes_.begin(), axes_.end());
  start[0] = static_cast<hsize_t>(first);
  counts[0] = static_cast<hsize_t>(count);
  std::size_t bytes = H5Tget_size(memory_type);
  for (const hsize_t axis : counts) bytes *= axis;
  if (bytes != out.size()) fail("has rows of an unexpected size");
  if (chunks_) tell_reason([&] { chunks_->check_rows(first, count); });
  const auto file_space = own<hdf5::SpaceHandle>(H5Dget_space(dataset_.get()), "read the shape of " + path_);
  check(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, counts.data(), nullptr),
        "choose rows of " + path_);
  const auto memory_space =
      own<hdf5::SpaceHandle>(H5Screate_simple(static_cast<int>(counts.size()), counts.data(), nullptr), "make a shape");
  check(H5Dread(dataset_.get(), memory_type, memory_space.get(), file_space.get(), H5P_DEFAULT, out.data()),
        "read " + path_);
}

}  // namespace octavo::dataset_file
