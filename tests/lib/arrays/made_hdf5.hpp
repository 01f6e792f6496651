// Small HDF5 files with any storage layout, for the array tests.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "hdf5/handles.hpp"
#include "temporary_folder.hpp"

namespace octavo::test {

using Axes = std::vector<hsize_t>;

/// A file that `fill` adds objects to.
inline std::filesystem::path hdf5_in(const TemporaryFolder& folder, const std::function<void(hid_t)>& fill) {
  const std::filesystem::path path = folder / "a.h5";
  const hdf5::FileHandle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  fill(file.get());
  return path;
}

inline hdf5::PropertiesHandle creation() { return hdf5::PropertiesHandle(H5Pcreate(H5P_DATASET_CREATE)); }

inline hdf5::PropertiesHandle chunked(const Axes& chunk) {
  auto properties = creation();
  H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
  return properties;
}

/// Adds a dataset without data, and the groups of its path.
inline hdf5::DatasetHandle add(hid_t file, const std::string& name, const Axes& axes, hid_t type = H5T_STD_U8LE,
                               hid_t properties = H5P_DEFAULT) {
  const hdf5::PropertiesHandle links(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_create_intermediate_group(links.get(), 1);
  const hdf5::SpaceHandle space(H5Screate_simple(static_cast<int>(axes.size()), axes.data(), nullptr));
  hdf5::DatasetHandle dataset(H5Dcreate2(file, name.c_str(), type, space.get(), links.get(), properties, H5P_DEFAULT));
  REQUIRE(dataset);
  return dataset;
}

/// Adds a dataset with these bytes, in its own type.
inline void add_with(const std::string& bytes, hid_t file, const std::string& name, const Axes& axes,
                     hid_t type = H5T_STD_U8LE, hid_t properties = H5P_DEFAULT) {
  const auto dataset = add(file, name, axes, type, properties);
  REQUIRE(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0);
}

/// The filters of a dataset. `left_out` is the filter mask of its chunk: a bit per filter that was not applied.
struct Filters {
  bool is_shuffled = false;
  bool is_deflated = true;
  unsigned left_out = 0;
};

/// Adds a uint8 dataset of one chunk that stores these bytes, whatever they inflate to.
inline void add_stored(const std::string& stored, hid_t file, const std::string& name, const Axes& axes,
                       const Filters& filters = {}) {
  const auto properties = chunked(axes);
  if (filters.is_shuffled) H5Pset_shuffle(properties.get());
  if (filters.is_deflated) H5Pset_deflate(properties.get(), 6);
  const auto dataset = add(file, name, axes, H5T_STD_U8LE, properties.get());
  const Axes first(axes.size(), 0);
  REQUIRE(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, filters.left_out, first.data(), stored.size(), stored.data()) >=
          0);
}

/// NumPy's float16.
inline hdf5::TypeHandle half_type() {
  hdf5::TypeHandle type(H5Tcopy(H5T_IEEE_F32LE));
  H5Tset_fields(type.get(), 15, 10, 5, 0, 10);
  H5Tset_size(type.get(), 2);
  H5Tset_ebias(type.get(), 15);
  return type;
}

/// NumPy's bool as h5py stores it.
inline hdf5::TypeHandle enumeration(hid_t of) {
  hdf5::TypeHandle type(H5Tenum_create(of));
  const std::int64_t no = 0, yes = 1;
  H5Tenum_insert(type.get(), "FALSE", &no);
  H5Tenum_insert(type.get(), "TRUE", &yes);
  return type;
}

}  // namespace octavo::test
