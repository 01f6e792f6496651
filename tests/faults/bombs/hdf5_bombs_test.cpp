// Foreign HDF5 files that claim more than they hold, expand beyond their size, or refer to other files.
#include <hdf5.h>

#include <algorithm>
#include <cstring>

#include "../../lib/dataset_file/small_file.hpp"
#include "../../lib/sources/made_files.hpp"
#include "../tally.hpp"
#include "bomb.hpp"
#include "catch.hpp"

using namespace octavo::test;

namespace {

using Path = std::filesystem::path;
using Axes = std::vector<hsize_t>;

/// Creates a file and calls `fill` to add objects.
std::vector<std::string> hdf5_bomb(const Path& folder, const std::function<void(hid_t)>& fill) {
  const Path path = folder / "a.h5";
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  fill(file);
  H5Fclose(file);
  return {path};
}

/// Adds a dataset with these creation properties, and closes the properties.
hid_t add_dataset(hid_t file, const char* name, const Axes& axes, hid_t properties = H5P_DEFAULT,
                  hid_t type = H5T_STD_U8LE) {
  const hid_t space = H5Screate_simple(static_cast<int>(axes.size()), axes.data(), nullptr);
  const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  H5Sclose(space);
  if (properties != H5P_DEFAULT) H5Pclose(properties);
  return dataset;
}

hid_t chunked(const Axes& chunk) {
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
  return properties;
}

/// A filter that the HDF5 library does not know.
constexpr H5Z_filter_t kUnknownFilter = 32'015;

herr_t refuse_nothing(hid_t, hid_t, hid_t) { return 0; }
std::size_t pass_on(unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*, void**) { return bytes; }

/// Registers the filter here, so that this test can write data that the program cannot read.
void know_filter() {
  static const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, kUnknownFilter,  1,       1, "unknown",
                                      nullptr,          &refuse_nothing, &pass_on};
  H5Zregister(&filter);
}

/// A file whose number of rows, stored as 1,000,003, is replaced with `rows`.
std::vector<std::string> with_rows(const Path& folder, std::uint64_t rows) {
  const auto words = hdf5_bomb(folder, [](hid_t file) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Dclose(add_dataset(file, "images", {1'000'003, 2, 2}, properties));
  });
  auto bytes = bytes_of_file(words[0]);
  const std::uint64_t before = 1'000'003;
  const auto* const wanted = reinterpret_cast<const std::byte*>(&before);
  for (auto at = bytes.begin(); (at = std::search(at, bytes.end(), wanted, wanted + 8)) != bytes.end(); at += 8) {
    std::memcpy(&*at, &rows, sizeof rows);
  }
  write_bytes(words[0], bytes);
  return words;
}

const Bomb kHdf5[] = {
    {"an HDF5 dataset of 2^60 rows",
     [](const Path& folder) {
       return hdf5_bomb(folder, [](hid_t file) {
         H5Dclose(add_dataset(file, "images", {hsize_t{1} << 60, 1, 1}, chunked({1, 1, 1})));
       });
     },
     "declared far larger than the file"},
    {"an HDF5 dataset whose number of rows was changed to 2^60",
     [](const Path& folder) { return with_rows(folder, 1ull << 60); }, "declared far larger than the file"},
    {"an HDF5 dataset whose number of rows was changed to 2^64 - 1",
     [](const Path& folder) { return with_rows(folder, ~0ull); }, "a.h5"},
    {"an HDF5 dataset with an unknown filter",
     [](const Path& folder) {
       know_filter();
       return hdf5_bomb(folder, [](hid_t file) {
         const hid_t properties = chunked({1, 2, 2});
         H5Pset_filter(properties, kUnknownFilter, H5Z_FLAG_MANDATORY, 0, nullptr);
         const hid_t dataset = add_dataset(file, "images", {3, 2, 2}, properties);
         const std::uint8_t values[12] = {};
         H5Dwrite(dataset, H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
         H5Dclose(dataset);
       });
     },
     "a.h5: /images"},
    {"an HDF5 dataset with chunks of 4 GiB",
     [](const Path& folder) {
       return hdf5_bomb(folder, [](hid_t file) {
         H5Dclose(add_dataset(file, "images", {1, 65'535, 65'535}, chunked({1, 65'535, 65'535})));
       });
     },
     "declared far larger than the file"},
    {"an HDF5 dataset that is a link to another file",
     [](const Path& folder) {
       return hdf5_bomb(folder, [](hid_t file) {
         H5Lcreate_external("/etc/hostname", "/images", file, "images", H5P_DEFAULT, H5P_DEFAULT);
       });
     },
     "a.h5"},
    {"an HDF5 dataset stored in another file",
     [](const Path& folder) {
       return hdf5_bomb(folder, [](hid_t file) {
         const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
         H5Pset_external(properties, "/etc/hostname", 0, 4);
         H5Dclose(add_dataset(file, "images", {1, 2, 2}, properties));
       });
     },
     "a.h5: /images"},
    {"an HDF5 virtual dataset composed of others",
     [](const Path& folder) {
       return hdf5_bomb(folder, [](hid_t file) {
         const hsize_t axes[3] = {1, 2, 2};
         const hid_t space = H5Screate_simple(3, axes, nullptr), properties = H5Pcreate(H5P_DATASET_CREATE);
         H5Pset_virtual(properties, space, "/etc/hostname", "/images", space);
         H5Sclose(space);
         H5Dclose(add_dataset(file, "images", {1, 2, 2}, properties));
       });
     },
     "a.h5: /images"},
    {"an HDF5 soft link to itself",
     [](const Path& folder) {
       return hdf5_bomb(folder,
                        [](hid_t file) { H5Lcreate_soft("/images", file, "images", H5P_DEFAULT, H5P_DEFAULT); });
     },
     "a.h5"},
    {"an HDF5 group that contains itself under 20 names",
     [](const Path& folder) {
       return hdf5_bomb(folder, [](hid_t file) {
         const hid_t group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
         for (int i = 0; i < 20; ++i) {
           H5Lcreate_hard(file, "group", group, std::to_string(i).c_str(), H5P_DEFAULT, H5P_DEFAULT);
         }
         H5Gclose(group);
       });
     },
     "a.h5"},
    {"an HDF5 file that is cut inside its only dataset",
     [](const Path& folder) {
       const auto words = hdf5_bomb(folder, [](hid_t file) {
         const hid_t dataset = add_dataset(file, "images", {100, 100, 100});
         const std::vector<std::uint8_t> values(1'000'000, 7);
         H5Dwrite(dataset, H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
         H5Dclose(dataset);
       });
       std::filesystem::resize_file(words[0], 500'000);
       return words;
     },
     "a.h5"},
    {"an HDF5 chunk of 4 KiB that expands to 1.2 GB",
     [](const Path& folder) {
       return hdf5_bomb(folder, [](hid_t file) {
         const std::string stored = compressed(Framing::zlib, std::string(4096, '\7'), 1'200'000'000u);
         const hid_t properties = chunked({4, 32, 32});
         H5Pset_deflate(properties, 6);
         const hid_t dataset = add_dataset(file, "images", {4, 32, 32}, properties);
         const hsize_t first[3] = {};
         H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, first, stored.size(), stored.data());
         H5Dclose(dataset);
       });
     },
     "does not inflate to the expected 4096 bytes"},
    {"an HDF5 dataset of variable-length strings",
     [](const Path& folder) {
       return hdf5_bomb(folder, [](hid_t file) {
         const hid_t type = H5Tcopy(H5T_C_S1);
         H5Tset_size(type, H5T_VARIABLE);
         H5Dclose(add_dataset(file, "images", {1, 2, 2}, H5P_DEFAULT, type));
         H5Tclose(type);
       });
     },
     "a.h5"},
};

}  // namespace

TEST_CASE("hostile HDF5 files are refused", "[faults][bombs]") { CHECK(problems_of_packing(kHdf5) == kNone); }
