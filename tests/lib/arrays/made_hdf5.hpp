// Small HDF5 files with any storage layout, for the array tests.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "hdf5/handles.hpp"
#include "temporary_folder.hpp"

namespace octavo::test {

using Axes = std::vector<hsize_t>;

/// A file that `fill` adds objects to.
inline std::filesystem::path hdf5_in(const TemporaryFolder& folder, const std::function<void(hid_t)>& fill,
                                     const std::string& name = "a.h5") {
  const std::filesystem::path path = folder / name;
  const hdf5::FileHandle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  fill(file.get());
  return path;
}

/// A MATLAB 7.3 file: an HDF5 file behind a header of 512 bytes.
inline std::filesystem::path mat73_in(const TemporaryFolder& folder, const std::function<void(hid_t)>& fill,
                                      const std::string& name = "a.mat") {
  const std::filesystem::path path = folder / name;
  const hdf5::PropertiesHandle properties(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_userblock(properties.get(), 512);
  {
    const hdf5::FileHandle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, properties.get(), H5P_DEFAULT));
    fill(file.get());
  }
  std::string header = "MATLAB 7.3 MAT-file, Platform: GLNXA64, made for a test";
  header.resize(124, ' ');
  header += std::string("\0\2IM", 4);
  std::fstream(path, std::ios::binary | std::ios::in | std::ios::out) << header;
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

/// Adds a text attribute of fixed length, as MATLAB does.
inline void set_text(hid_t file, const std::string& object, const char* attribute, const std::string& text) {
  const hdf5::TypeHandle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), text.size());
  const hdf5::SpaceHandle space(H5Screate(H5S_SCALAR));
  const hdf5::AttributeHandle made(H5Acreate_by_name(file, object.c_str(), attribute, type.get(), space.get(),
                                                     H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  REQUIRE(H5Awrite(made.get(), type.get(), text.data()) >= 0);
}

/// Adds a list of texts of fixed length, or of variable length if `width` is 0.
inline void add_texts(const std::vector<std::string>& texts, hid_t file, const std::string& name, std::size_t width = 0,
                      H5T_str_t padding = H5T_STR_NULLPAD) {
  const hdf5::TypeHandle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), width == 0 ? H5T_VARIABLE : width);
  if (width > 0) H5Tset_strpad(type.get(), padding);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  const auto dataset = add(file, name, {texts.size()}, type.get());
  std::string table;
  std::vector<const char*> pointers;
  for (const std::string& text : texts) {
    pointers.push_back(text.c_str());
    if (width > 0) table += text + std::string(width - text.size(), padding == H5T_STR_SPACEPAD ? ' ' : '\0');
  }
  const void* const data = width == 0 ? static_cast<const void*>(pointers.data()) : table.data();
  REQUIRE(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
}

/// An enumeration of int32 numbers.
inline hdf5::TypeHandle enumeration_of(const std::vector<std::pair<std::string, std::int32_t>>& members) {
  hdf5::TypeHandle type(H5Tenum_create(H5T_STD_I32LE));
  for (const auto& [name, number] : members) H5Tenum_insert(type.get(), name.c_str(), &number);
  return type;
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
