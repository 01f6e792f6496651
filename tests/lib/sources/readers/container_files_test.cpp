// Files with several arrays, and published formats: HDF5, MATLAB, STL-10, dataset files.
#include <hdf5.h>

#include <cstring>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "deflated.hpp"
#include "packed_fixture.hpp"
#include "sources/made_files.hpp"
#include "sources/made_mat.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;
namespace fs = std::filesystem;

namespace {

std::unique_ptr<Source> open_part(const SourceSpec& spec, const SourceOptions& options = {}) {
  return open_source({spec}, options);
}

/// A dataset in an HDF5 file; missing groups are created. `chunk_rows` 0: contiguous, else deflated.
void add_dataset(hid_t file, const std::string& name, hid_t type, const std::vector<hsize_t>& axes, const void* data,
                 hsize_t chunk_rows = 0) {
  const hid_t links = H5Pcreate(H5P_LINK_CREATE), properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  if (chunk_rows > 0) {
    auto chunk = axes;
    chunk[0] = chunk_rows;
    H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
    H5Pset_deflate(properties, 4);
  }
  const hid_t space = H5Screate_simple(static_cast<int>(axes.size()), axes.data(), nullptr);
  const hid_t dataset = H5Dcreate2(file, name.c_str(), type, space, links, properties, H5P_DEFAULT);
  REQUIRE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  H5Dclose(dataset), H5Sclose(space), H5Pclose(properties), H5Pclose(links);
}

hid_t new_hdf5(const fs::path& path) { return H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT); }

}  // namespace

TEST_CASE("datasets of an HDF5 file are paired by name and read in a child process", "[unit][pack]") {
  const TemporaryFolder folder;
  const hid_t file = new_hdf5(folder / "a.h5");
  std::vector<std::uint8_t> images(5 * 2 * 2 * 3);
  for (std::size_t i = 0; i < images.size(); ++i) images[i] = static_cast<std::uint8_t>(i);
  const std::vector<std::int64_t> labels = {4, 3, 2, 1, 0};
  add_dataset(file, "train/images", H5T_STD_U8LE, {5, 2, 2, 3}, images.data(), 2);
  add_dataset(file, "train/labels", H5T_NATIVE_INT64, {5}, labels.data());
  const std::vector<std::uint16_t> wide = {0, 257, 514, 65535};
  add_dataset(file, "other/wide", H5T_NATIVE_UINT16, {1, 2, 2}, wide.data());
  H5Fclose(file);

  const auto source = open_part({folder / "a.h5"});
  REQUIRE(source->format() == "hdf5");
  REQUIRE(source->splits()[0].shape == SampleShape{3, 2, 2});
  const Samples samples = read_all(*source);
  REQUIRE(samples.labels == std::vector<std::int32_t>{4, 3, 2, 1, 0});
  REQUIRE(samples.values[0] == 0);
  REQUIRE(samples.values[1] == 3);
  REQUIRE(samples.values[4] == 1);
  REQUIRE(read(*source, 0, 3, 1).values[0] == 36);
  REQUIRE(read(*source, 0, 1, 1).values[0] == 12);

  const auto wide_source = open_part({folder / "a.h5", "mine", "/other/wide"});
  REQUIRE(wide_source->splits()[0].name == "mine");
  REQUIRE(wide_source->splits()[0].source_dtype == "uint16");
  REQUIRE(read_all(*wide_source).values == std::vector<std::uint8_t>{0, 1, 2, 255});
  REQUIRE_THROWS_WITH(open_part({folder / "a.h5", "", "none"}), ContainsSubstring("it has other/wide (1 x 2 x 2)"));
}

TEST_CASE("groups and arrays of an HDF5 file that are not listed are named", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> values(8, 1);
  hid_t file = new_hdf5(folder / "a.h5");
  add_dataset(file, "images", H5T_STD_U8LE, {2, 2, 2}, values.data());
  std::string deep;
  for (int level = 0; level < 16; ++level) deep += "g/";
  add_dataset(file, deep + "listed", H5T_STD_U8LE, {2}, values.data());
  add_dataset(file, deep + "below/array", H5T_STD_U8LE, {2}, values.data());
  H5Fclose(file);
  auto notes = packing_notes(*open_part({folder / "a.h5"}));
  REQUIRE(notes.size() == 2);
  CHECK_THAT(notes[1], ContainsSubstring("left out the arrays " + deep + "below (a group below 16 groups), " + deep +
                                         "listed (2 uint8) in "));

  file = new_hdf5(folder / "a.h5");
  add_dataset(file, "images", H5T_STD_U8LE, {2, 2, 2}, values.data());
  const hid_t array = H5Dopen2(file, "images", H5P_DEFAULT);
  for (int i = 0; i < 10'000; ++i) H5Olink(array, file, ("n" + std::to_string(i)).c_str(), H5P_DEFAULT, H5P_DEFAULT);
  H5Dclose(array);
  H5Fclose(file);
  notes = packing_notes(*open_part({folder / "a.h5", "", "images"}));
  CHECK(notes.size() == 1);  // no labels
  CHECK_THROWS_WITH(open_part({folder / "a.h5", "", "none"}),
                    ContainsSubstring("it has n9999 (the first of those beyond 10,000 arrays), images (2 x 2 x 2), "));
}

TEST_CASE("HDF5 data stored in other files are refused", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "secret", std::string(64, 's'));
  const hid_t file = new_hdf5(folder / "a.h5");
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(properties, (folder / "secret").c_str(), 0, 64);
  const std::vector<hsize_t> axes = {4, 2, 8};
  const hid_t space = H5Screate_simple(3, axes.data(), nullptr);
  H5Dclose(H5Dcreate2(file, "images", H5T_STD_U8LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  H5Sclose(space), H5Pclose(properties), H5Fclose(file);
  REQUIRE_THROWS_WITH(read_all(*open_part({folder / "a.h5"})),
                      ContainsSubstring("a.h5: /images") && ContainsSubstring("is stored in another file"));
}

TEST_CASE("a damaged HDF5 file is a one-line error", "[unit][pack]") {
  const TemporaryFolder folder;
  const hid_t file = new_hdf5(folder / "a.h5");
  const std::vector<std::uint8_t> images(8, 1);
  add_dataset(file, "images", H5T_STD_U8LE, {2, 2, 2}, images.data());
  H5Fclose(file);
  std::string bytes(fs::file_size(folder / "a.h5"), '\0');
  std::ifstream(folder / "a.h5", std::ios::binary).read(bytes.data(), std::ssize(bytes));
  for (std::size_t at = 8; at < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    write_file(folder / "b.h5", damaged);
    try {
      read_all(*open_part({folder / "b.h5"}));
    } catch (const Error& error) {
      REQUIRE_THAT(error.what(), ContainsSubstring("b.h5") && !ContainsSubstring("\n"));
    }
  }
}

TEST_CASE("SVHN's plain and deflated MATLAB files are read with 10 as the digit 0", "[unit][pack]") {
  const TemporaryFolder folder;
  // Ten images of 32 x 32 pixels and 3 channels: MATLAB's first axis varies fastest.
  const std::string x = mat_variable("X", {32, 32, 3, 10}, counting(10 * 3072));
  const std::string y = mat_variable("y", {10, 1}, {10, 3, 1, 2, 4, 5, 6, 7, 8, 9});
  write_file(folder / "train_32x32.mat", mat_file(x + y));
  write_file(folder / "test_32x32.mat", mat_file(mat_element(15, zlib_stream(x)).substr(0, 8 + zlib_stream(x).size()) +
                                                 mat_element(15, zlib_stream(y)).substr(0, 8 + zlib_stream(y).size())));
  for (const char* name : {"train_32x32.mat", "test_32x32.mat"}) {
    INFO(name);
    const auto source = open_part({folder / name});
    REQUIRE(source->splits()[0].name == std::string(name).substr(0, std::string(name).find('_')));
    REQUIRE(source->splits()[0].shape == SampleShape{3, 32, 32});
    const Samples samples = read_all(*source);
    REQUIRE(samples.values[1] == 32);  // one column to the right
    REQUIRE(samples.values[32] == 1);  // one row below
    REQUIRE(samples.labels == std::vector<std::int32_t>{0, 3, 1, 2, 4, 5, 6, 7, 8, 9});
    REQUIRE(source->notes().remarks == std::vector<std::string>{"these are SVHN's digits: label 10 is class 0"});
  }
  write_file(folder / "cut.mat", mat_file(x.substr(0, x.size() - 8)));
  REQUIRE_THROWS_WITH(open_part({folder / "cut.mat"}),
                      ContainsSubstring("cut.mat") && ContainsSubstring("ends inside"));
}

TEST_CASE("a folder of MATLAB or HDF5 or dataset files is read like the files", "[unit][pack]") {
  const TemporaryFolder svhn;
  for (const char* name : {"train_32x32.mat", "test_32x32.mat"}) {
    write_file(svhn / name,
               mat_file(mat_variable("X", {2, 1, 3, 2}, counting(12)) + mat_variable("y", {2, 1}, {10, 3})));
  }
  const auto digits = open_part({svhn.path()});
  REQUIRE(digits->format() == "mat");
  REQUIRE(digits->splits().size() == 2);
  REQUIRE(digits->splits()[0].name == "train");
  REQUIRE(read_all(*digits, 1).labels == std::vector<std::int32_t>{10, 3});
  REQUIRE_THROWS_WITH(open_part({svhn.path(), "val"}), ContainsSubstring("it holds \"train\" and \"test\""));
  write_packed(svhn / "result.h5", {random_split("train", 2, {1, 2, 2})});
  REQUIRE(open_part({svhn.path()}, {.format = "mat"})->splits().size() == 2);

  const TemporaryFolder several;
  const hid_t file = new_hdf5(several / "both.h5");
  const std::vector<std::uint8_t> images(8, 1);
  add_dataset(file, "x_train", H5T_STD_U8LE, {2, 2, 2}, images.data());
  add_dataset(file, "x_test", H5T_STD_U8LE, {2, 2, 2}, images.data());
  H5Fclose(file);
  REQUIRE(open_part({several.path()})->splits().size() == 2);
  write_packed(several / "packed.h5", {random_split("train", 2, {1, 2, 2})});
  REQUIRE_THROWS_WITH(open_part({several.path()}), ContainsSubstring("both look like"));
  fs::remove(several / "both.h5");
  REQUIRE(open_part({several.path()})->format() == "octavo");
  write_file(several / "shard.tar", "x");
  REQUIRE_THROWS_WITH(open_part({several.path()}), ContainsSubstring("packed.h5") && ContainsSubstring("shard.tar"));
  fs::remove(several / "shard.tar");
  write_file(several / "test.h5", "damaged");
  REQUIRE_THROWS_WITH(open_part({several.path()}), ContainsSubstring("test.h5") && ContainsSubstring("its contents"));
  fs::remove(several / "test.h5");
  REQUIRE_THROWS_WITH(open_part({several / "packed.h5", "", "train", "labels"}),
                      ContainsSubstring("omit \"::labels\""));
}

TEST_CASE("a Python pickle is refused with the Python command", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "data_batch_1", std::string("\x80\x02}q\x01.", 6));
  for (const auto& source : {folder / "data_batch_1", folder.path()}) {
    CHECK_THROWS_WITH(open_part({source}),
                      ContainsSubstring("data_batch_1\": it is a Python pickle") && ContainsSubstring("octavo.pack("));
  }
}

TEST_CASE("STL-10's images are transposed and its labels begin at 1", "[unit][pack]") {
  const TemporaryFolder folder;
  std::string image(3 * 96 * 96, '\0');
  image[1] = 7;        // first column, second row
  image[96 * 96] = 9;  // second plane, first pixel
  write_file(folder / "train_X.bin", image + image);
  write_file(folder / "train_y.bin", {1, 10});
  const auto source = open_part({folder.path()});
  REQUIRE(source->format() == "stl10");
  const Samples samples = read_all(*source);
  REQUIRE(samples.labels == std::vector<std::int32_t>{0, 9});
  REQUIRE(samples.values[96] == 7);
  REQUIRE(samples.values[96 * 96] == 9);
}

TEST_CASE("a dataset file is a source whose contents stay unchanged", "[unit][pack]") {
  const TemporaryFolder folder;
  write_packed(folder / "a.h5", {random_split("train", 40, {3, 5, 7}), random_split("test", 3, {3, 5, 7})});
  const auto source = open_part({folder / "a.h5"});
  REQUIRE(source->format() == "octavo");
  const Dataset original = Dataset::open(folder / "a.h5");
  REQUIRE(source->class_names() == original.class_names());
  pack(*source, folder / "b.h5");
  const Dataset repacked = Dataset::open(folder / "b.h5");
  for (const std::string& name : original.split_names()) {
    const Split a = original.split(name), b = repacked.split(name);
    std::vector<std::int8_t> a_codes(static_cast<std::size_t>(a.packed_bytes())), b_codes(a_codes.size());
    a.read(0, a.sample_count(), a_codes);
    b.read(0, b.sample_count(), b_codes);
    REQUIRE(a_codes == b_codes);
    REQUIRE(a.statistics().mean == b.statistics().mean);
  }
  REQUIRE_THAT(repacked.provenance(), ContainsSubstring("made from a.h5"));
}

TEST_CASE("the classes of a dataset file can be named and renamed if all are", "[unit][pack]") {
  const TemporaryFolder folder;
  write_packed(folder / "a.h5", {random_split("train", 40, {1, 2, 2})});
  REQUIRE(Dataset::open(folder / "a.h5").class_names().empty());
  std::vector<std::string> names;
  for (int i = 0; i < 10; ++i) names.push_back("class " + std::to_string(i));
  pack(*open_part({folder / "a.h5"}, {.class_names = names}), folder / "b.h5");
  REQUIRE(Dataset::open(folder / "b.h5").class_names() == names);
  names[3] = "another";
  REQUIRE(open_part({folder / "b.h5"}, {.class_names = names})->class_names() == names);
  names.pop_back();
  REQUIRE_THROWS_WITH(open_part({folder / "b.h5"}, {.class_names = names}), ContainsSubstring("class names for"));
}
