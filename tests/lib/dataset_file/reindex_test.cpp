#include <octavo/reindex.hpp>

#include <fstream>
#include <functional>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/verify.hpp>

#include "catch.hpp"
#include "deflated_file.hpp"
#include "hdf5/handles.hpp"
#include "hdf5/session.hpp"
#include "temporary_folder.hpp"

using octavo::Dataset;
using octavo::reindex;
using octavo::test::TemporaryFolder;

namespace {

/// A file with splits train and test in this order, train with names.
void write_file(const std::filesystem::path& path) {
  auto options = octavo::test::small_options();
  options.splits[0].with_names = true;
  options.splits[0].quantization = {{0.5, 1.0}, {2.0, 0.0}, {1.0, -3.0}};
  options.splits.push_back(octavo::test::small_split("test", 3));
  octavo::Writer writer(path, options);
  auto values = octavo::test::values_of({3, 4, 5}, 0, 20);
  const auto labels = octavo::test::classes_of(0, 20);
  std::vector<std::string> names;
  for (int row = 0; row < 20; ++row) names.push_back(row == 7 ? "" : "sample " + std::to_string(row));
  writer.write(0, 0, values, std::as_bytes(std::span(labels)), names);
  octavo::test::write_all(writer, 1, options.splits[1]);
  writer.finish("{\"command\":\"test\"}");
}

/// Edits a file as any HDF5 program would.
void edit(const std::filesystem::path& path, const std::function<void(hid_t)>& change) {
  const octavo::hdf5::Session session;
  const octavo::hdf5::FileHandle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  REQUIRE(file);
  change(file.get());
}

void add_attribute(hid_t file) {
  const octavo::hdf5::SpaceHandle space(H5Screate(H5S_SCALAR));
  const octavo::hdf5::AttributeHandle attribute(
      H5Acreate2(file, "note", H5T_NATIVE_INT, space.get(), H5P_DEFAULT, H5P_DEFAULT));
  const int value = 7;
  REQUIRE(H5Awrite(attribute.get(), H5T_NATIVE_INT, &value) >= 0);
}

TEST_CASE("what a rebuilt file does not have is named", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5");
  CHECK(reindex(folder / "a.h5", folder / "b.h5").left_out.empty());
  edit(folder / "a.h5", [](hid_t file) {
    add_attribute(file);
    const octavo::hdf5::GroupHandle group(H5Gcreate2(file, "/train/mi\nne", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    add_attribute(octavo::hdf5::DatasetHandle(H5Dopen2(file, "/train/images", H5P_DEFAULT)).get());
  });
  CHECK(reindex(folder / "a.h5", folder / "c.h5").left_out ==
        std::vector<std::string>{"/, attribute note", "/train/images, attribute note", "/train/mi?ne"});
}

/// A dataset of one number, as another program adds it.
void add_dataset(hid_t file, const std::string& path) {
  const octavo::hdf5::SpaceHandle space(H5Screate(H5S_SCALAR));
  const octavo::hdf5::DatasetHandle dataset(
      H5Dcreate2(file, path.c_str(), H5T_STD_U8LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  REQUIRE(dataset);
}

TEST_CASE("objects that only newer format versions have are named as not copied", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  edit(folder / "a.h5", [](hid_t file) {
    for (const char* name : {"/train/masks", "/train/columns"}) add_dataset(file, name);
  });
  CHECK(reindex(folder / "a.h5", folder / "b.h5").left_out ==
        std::vector<std::string>{"/train/columns", "/train/masks"});
}

TEST_CASE("names that another program added are named as not copied", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  edit(folder / "a.h5", [](hid_t file) { add_dataset(file, "/train/names"); });
  CHECK(reindex(folder / "a.h5", folder / "b.h5").left_out == std::vector<std::string>{"/train/names"});
}

TEST_CASE("attributes of every dataset are named as not copied", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5");
  const std::vector<std::string> paths = {"/classes", "/index", "/train/histogram", "/train/labels", "/train/names"};
  std::vector<std::string> expected;
  edit(folder / "a.h5", [&](hid_t file) {
    for (const std::string& path : paths) {
      add_attribute(octavo::hdf5::ObjectHandle(H5Oopen(file, path.c_str(), H5P_DEFAULT)).get());
      expected.push_back(path + ", attribute note");
    }
  });
  CHECK(reindex(folder / "a.h5", folder / "b.h5").left_out == expected);
}

TEST_CASE("the list of what is not copied ends with the number of the others", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5");
  edit(folder / "a.h5", [](hid_t file) {
    for (int number = 0; number < 103; ++number) add_dataset(file, "/extra" + std::to_string(1000 + number));
  });
  const auto left_out = reindex(folder / "a.h5", folder / "b.h5").left_out;
  REQUIRE(left_out.size() == 101);
  CHECK(left_out[99] == "/extra1099");
  CHECK(left_out[100] == "3 more");
}

octavo::hdf5::PropertiesHandle creation() { return octavo::hdf5::PropertiesHandle(H5Pcreate(H5P_DATASET_CREATE)); }

/// Replaces a dataset with one that has these properties, of type int8 [20,3,4,5].
octavo::hdf5::DatasetHandle replace_images(hid_t file, hid_t properties, std::vector<hsize_t> axes = {20, 3, 4, 5}) {
  REQUIRE(H5Ldelete(file, "/train/images", H5P_DEFAULT) >= 0);
  const octavo::hdf5::SpaceHandle space(H5Screate_simple(static_cast<int>(axes.size()), axes.data(), nullptr));
  octavo::hdf5::DatasetHandle dataset(
      H5Dcreate2(file, "/train/images", H5T_STD_I8LE, space.get(), H5P_DEFAULT, properties, H5P_DEFAULT));
  REQUIRE(dataset);
  return dataset;
}

std::vector<std::int8_t> codes_of(const std::filesystem::path& path) {
  const auto split = Dataset::open(path).split("train");
  std::vector<std::int8_t> codes(static_cast<std::size_t>(split.packed_bytes()));
  std::vector<std::byte> labels(static_cast<std::size_t>(split.sample_count() * split.labels().bytes_per_sample()));
  split.read_checked(0, split.sample_count(), codes, labels);
  return codes;
}

std::string refusal(const std::filesystem::path& path) {
  try {
    reindex(path, path.string() + ".new");
  } catch (const octavo::FormatError& problem) {
    REQUIRE_FALSE(std::filesystem::exists(path.string() + ".new"));
    return problem.what();
  }
  return "taken over";
}

}  // namespace

TEST_CASE("an attribute of plain images that is named like that of coded ones is not taken for it", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5");
  const auto codes = codes_of(folder / "a.h5");
  edit(folder / "a.h5", [](hid_t file) {
    const octavo::hdf5::TypeHandle type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type.get(), 4);
    const octavo::hdf5::SpaceHandle space(H5Screate(H5S_SCALAR));
    const octavo::hdf5::AttributeHandle attribute(H5Acreate_by_name(
        file, "/train/images", "encoding", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    REQUIRE(H5Awrite(attribute.get(), type.get(), "rgb8") >= 0);
  });
  const auto summary = reindex(folder / "a.h5", folder / "b.h5");
  CHECK(summary.changed_samples == 0);
  CHECK(codes_of(folder / "b.h5") == codes);
}

TEST_CASE("a file with a new attribute is refused with the remedy and reindex accepts it", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5");
  const auto codes = codes_of(folder / "a.h5");
  const auto statistics = Dataset::open(folder / "a.h5").split("train").statistics();
  edit(folder / "a.h5", add_attribute);
  REQUIRE_THROWS_WITH(Dataset::open(folder / "a.h5"), ContainsSubstring("octavo reindex"));

  const auto summary = reindex(folder / "a.h5", folder / "b.h5");
  REQUIRE(summary.sample_count == 23);
  REQUIRE(summary.changed_samples == 0);
  REQUIRE(octavo::verify(folder / "b.h5").defect_count == 0);
  REQUIRE(codes_of(folder / "b.h5") == codes);
  const Dataset dataset = Dataset::open(folder / "b.h5");
  REQUIRE(dataset.split_names() == std::vector<std::string>{"train", "test"});
  REQUIRE(dataset.class_names() == octavo::test::small_options().class_names);
  REQUIRE(dataset.split("train").statistics().quantization == statistics.quantization);
  REQUIRE(dataset.split("train").statistics().mean == statistics.mean);
  REQUIRE(dataset.split("train").color() == octavo::Color::rgb);
  REQUIRE(dataset.split("train").sample_name(6) == "sample 6");
  REQUIRE(dataset.split("train").sample_name(7) == "");
  REQUIRE_FALSE(dataset.split("test").sample_name(0));
  REQUIRE_THAT(dataset.provenance(), ContainsSubstring("\"command\":\"test\""));
  REQUIRE_THAT(dataset.provenance(), ContainsSubstring("00000000-0000-8000-8000-000000000000"));
}

TEST_CASE("opening a file for writing without editing it changes no byte", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5");
  const auto before = octavo::test::bytes_of_file(folder / "a.h5");
  edit(folder / "a.h5", [](hid_t) {});
  REQUIRE(octavo::test::bytes_of_file(folder / "a.h5") == before);
}

TEST_CASE("a deflated file stays deflated when it is reindexed", "[unit][archive]") {
  const TemporaryFolder folder;
  const auto options = octavo::test::deflated_options({1, 28, 28}, 3000);
  octavo::test::write_deflated(folder / "a.h5", options, octavo::test::Contents::photo);
  edit(folder / "a.h5", add_attribute);
  REQUIRE_THROWS_AS(Dataset::open(folder / "a.h5"), octavo::FormatError);
  const auto summary = reindex(folder / "a.h5", folder / "b.h5");
  REQUIRE(summary.sample_count == 3000);
  REQUIRE(summary.changed_samples == 0);
  REQUIRE(octavo::verify(folder / "b.h5").defect_count == 0);
  const auto split = Dataset::open(folder / "b.h5").split("train");
  REQUIRE(split.compression() == octavo::Compression::deflate);
  std::vector<std::int8_t> codes(3000 * 784);
  split.read(0, 3000, codes);
  const auto values = octavo::test::contents_of(octavo::test::Contents::photo, {1, 28, 28}, 0, 3000);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) wrong += codes[i] + 128 != values[i];
  REQUIRE(wrong == 0);
}

TEST_CASE("a changed label is reindexed only when changes are accepted", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5");
  std::vector<std::int32_t> labels = octavo::test::classes_of(0, 20);
  labels[17] = 0;
  edit(folder / "a.h5", [&](hid_t file) {
    const octavo::hdf5::DatasetHandle dataset(H5Dopen2(file, "/train/labels", H5P_DEFAULT));
    REQUIRE(H5Dwrite(dataset.get(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, labels.data()) >= 0);
  });
  const std::string message = refusal(folder / "a.h5");
  REQUIRE_THAT(message, ContainsSubstring("/train/images sample 17"));
  REQUIRE_THAT(message, ContainsSubstring("`accept_changes`"));
  REQUIRE(reindex(folder / "a.h5", folder / "b.h5", {.accept_changes = true}).changed_samples == 1);
  REQUIRE(octavo::verify(folder / "b.h5").defect_count == 0);
  std::vector<std::int32_t> back(20);
  Dataset::open(folder / "b.h5").split("train").read_labels(0, 20, std::as_writable_bytes(std::span(back)));
  REQUIRE(back == labels);
}

TEST_CASE("a label changed to an invalid one is refused even when changes are accepted", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5");
  const std::vector<std::int32_t> labels(20, 99);
  edit(folder / "a.h5", [&](hid_t file) {
    const octavo::hdf5::DatasetHandle dataset(H5Dopen2(file, "/train/labels", H5P_DEFAULT));
    H5Dwrite(dataset.get(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, labels.data());
  });
  REQUIRE_THROWS_AS(reindex(folder / "a.h5", folder / "b.h5", {.accept_changes = true}), octavo::FormatError);
}

TEST_CASE("images that were rewritten in compressed chunks are reindexed", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5");
  const auto codes = codes_of(folder / "a.h5");
  edit(folder / "a.h5", [&](hid_t file) {
    const auto properties = creation();
    const hsize_t chunk[] = {3, 3, 4, 5};
    H5Pset_chunk(properties.get(), 4, chunk);
    H5Pset_shuffle(properties.get());
    H5Pset_deflate(properties.get(), 4);
    H5Pset_fletcher32(properties.get());
    const auto dataset = replace_images(file, properties.get());
    REQUIRE(H5Dwrite(dataset.get(), H5T_NATIVE_INT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, codes.data()) >= 0);
  });
  REQUIRE(reindex(folder / "a.h5", folder / "b.h5").changed_samples == 0);
  REQUIRE(codes_of(folder / "b.h5") == codes);
}

TEST_CASE("class names that were replaced with variable-length strings are reindexed", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5");
  edit(folder / "a.h5", [](hid_t file) {
    REQUIRE(H5Ldelete(file, "/classes", H5P_DEFAULT) >= 0);
    const octavo::hdf5::TypeHandle type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type.get(), H5T_VARIABLE);
    const hsize_t count = 3;
    const octavo::hdf5::SpaceHandle space(H5Screate_simple(1, &count, nullptr));
    const octavo::hdf5::DatasetHandle dataset(
        H5Dcreate2(file, "/classes", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const char* names[] = {"one", "two", "three"};
    REQUIRE(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0);
  });
  reindex(folder / "a.h5", folder / "b.h5");
  REQUIRE(Dataset::open(folder / "b.h5").class_names() == std::vector<std::string>{"one", "two", "three"});
}

TEST_CASE("data stored in another file is refused", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5");
  std::ofstream(folder / "secret") << std::string(1200, 's');
  SECTION("by external storage") {
    edit(folder / "a.h5", [&](hid_t file) {
      const auto properties = creation();
      H5Pset_external(properties.get(), (folder / "secret").c_str(), 0, 1200);
      replace_images(file, properties.get());
    });
  }
  SECTION("by a virtual dataset") {
    edit(folder / "a.h5", [&](hid_t file) {
      const auto properties = creation();
      const hsize_t axes[] = {20, 3, 4, 5};
      const octavo::hdf5::SpaceHandle space(H5Screate_simple(4, axes, nullptr));
      H5Pset_virtual(properties.get(), space.get(), (folder / "other.h5").c_str(), "/x", space.get());
      replace_images(file, properties.get());
    });
  }
  SECTION("by an external link") {
    edit(folder / "a.h5", [&](hid_t file) {
      H5Ldelete(file, "/train/images", H5P_DEFAULT);
      H5Lcreate_external((folder / "other.h5").c_str(), "/x", file, "/train/images", H5P_DEFAULT, H5P_DEFAULT);
    });
  }
  SECTION("by an external link in place of a split") {
    edit(folder / "a.h5", [&](hid_t file) {
      H5Lcreate_external((folder / "other.h5").c_str(), "/x", file, "/val", H5P_DEFAULT, H5P_DEFAULT);
    });
  }
  SECTION("by a soft link") {
    edit(folder / "a.h5", [&](hid_t file) {
      H5Ldelete(file, "/train/images", H5P_DEFAULT);
      H5Lcreate_soft("/test/images", file, "/train/images", H5P_DEFAULT, H5P_DEFAULT);
    });
  }
  REQUIRE_THAT(refusal(folder / "a.h5"), ContainsSubstring("other file") || ContainsSubstring("another file") ||
                                             ContainsSubstring("another location or file"));
}

TEST_CASE("shapes and types that a dataset file does not have are refused", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5");
  SECTION("another rank") {
    edit(folder / "a.h5", [](hid_t file) { replace_images(file, creation().get(), {20, 60}); });
  }
  SECTION("another number of samples") {
    edit(folder / "a.h5", [](hid_t file) { replace_images(file, creation().get(), {21, 3, 4, 5}); });
  }
  SECTION("far more than the file holds") {
    edit(folder / "a.h5", [](hid_t file) {
      const auto properties = creation();
      const hsize_t chunk[] = {1, 3, 4, 5};
      H5Pset_chunk(properties.get(), 4, chunk);
      replace_images(file, properties.get(), {hsize_t{1} << 40, 3, 4, 5});
    });
  }
  SECTION("chunks larger than memory") {
    edit(folder / "a.h5", [](hid_t file) {
      const auto properties = creation();
      const hsize_t chunk[] = {1 << 20, 3, 10, 10};
      H5Pset_chunk(properties.get(), 4, chunk);
      const hsize_t axes[] = {1 << 20, 3, 10, 10};
      const octavo::hdf5::SpaceHandle space(H5Screate_simple(4, axes, nullptr));
      H5Ldelete(file, "/train/images", H5P_DEFAULT);
      const octavo::hdf5::DatasetHandle dataset(
          H5Dcreate2(file, "/train/images", H5T_STD_I8LE, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT));
    });
  }
  SECTION("no splits at all") {
    edit(folder / "a.h5", [](hid_t file) {
      H5Ldelete(file, "/train", H5P_DEFAULT);
      H5Ldelete(file, "/test", H5P_DEFAULT);
    });
  }
  SECTION("another type") {
    edit(folder / "a.h5", [](hid_t file) {
      H5Ldelete(file, "/train/images", H5P_DEFAULT);
      const hsize_t axes[] = {20, 3, 4, 5};
      const octavo::hdf5::SpaceHandle space(H5Screate_simple(4, axes, nullptr));
      const octavo::hdf5::DatasetHandle dataset(
          H5Dcreate2(file, "/train/images", H5T_STD_U8LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    });
  }
  REQUIRE_THAT(refusal(folder / "a.h5"), ContainsSubstring("reindex \"" + (folder / "a.h5").string() + "\": "));
}

TEST_CASE("only dataset files can be reindexed", "[unit][archive]") {
  const TemporaryFolder folder;
  REQUIRE_THROWS_AS(reindex(folder / "missing", folder / "b.h5"), octavo::IoError);
  std::ofstream(folder / "text") << "hello";
  REQUIRE_THAT(refusal(folder / "text"), ContainsSubstring("HDF5 could not open"));
  {
    const octavo::hdf5::Session session;
    const octavo::hdf5::FileHandle file(
        H5Fcreate((folder / "plain.h5").c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT));
  }
  REQUIRE_THAT(refusal(folder / "plain.h5"), ContainsSubstring("not an Octavo dataset file"));
}

TEST_CASE("reindex replaces an existing file only if that is allowed", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5");
  edit(folder / "a.h5", add_attribute);
  std::ofstream(folder / "b.h5") << "precious";
  REQUIRE_THROWS_AS(reindex(folder / "a.h5", folder / "b.h5"), octavo::InvalidArgument);
  reindex(folder / "a.h5", folder / "b.h5", {.replace_existing = true});
  REQUIRE(octavo::verify(folder / "b.h5").defect_count == 0);
}

TEST_CASE("a file is never reindexed onto itself", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5");
  const auto before = octavo::test::bytes_of_file(folder / "a.h5");
  std::filesystem::create_hard_link(folder / "a.h5", folder / "same.h5");
  for (const char* name : {"a.h5", "same.h5"}) {
    REQUIRE_THROWS_WITH(reindex(folder / "a.h5", folder / name, {.replace_existing = true}),
                        ContainsSubstring("is the same file"));
  }
  REQUIRE(octavo::test::bytes_of_file(folder / "a.h5") == before);
}

TEST_CASE("a flipped metadata bit neither crashes reindex nor changes its result", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5");
  const auto codes = codes_of(folder / "a.h5");
  const auto bytes = octavo::test::bytes_of_file(folder / "a.h5");
  for (std::size_t at = 4096; at < 4096 + 2048; at += 31) {
    auto damaged = bytes;
    damaged[at] ^= static_cast<std::byte>(1 << at % 8);
    octavo::test::write_bytes(folder / "a.h5", damaged);
    try {
      reindex(folder / "a.h5", folder / "b.h5", {.replace_existing = true});
    } catch (const octavo::FormatError&) {
      continue;
    }
    REQUIRE(codes_of(folder / "b.h5") == codes);
  }
}
