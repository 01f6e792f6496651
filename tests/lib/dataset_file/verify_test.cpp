#include <octavo/verify.hpp>

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "dataset_file/check/defect_list.hpp"
#include "forge.hpp"
#include "format/index/metadata_hash.hpp"
#include "format/reader.hpp"
#include "small_file.hpp"
#include "temporary_folder.hpp"

using octavo::dataset_file::Reader;
using octavo::test::TemporaryFolder;

namespace {

void flip(const std::filesystem::path& path, std::int64_t offset) {
  auto bytes = octavo::test::bytes_of_file(path);
  bytes[static_cast<std::size_t>(offset)] ^= std::byte{16};
  octavo::test::write_bytes(path, bytes);
}

/// A file of two splits, one with names.
void write_two_splits(const std::filesystem::path& path) {
  auto options = octavo::test::small_options();
  options.splits.push_back(octavo::test::small_split("test", 3));
  options.splits[1].with_names = true;
  octavo::test::write_small_file(path, options);
}

std::vector<std::string> places_of(const octavo::VerifyResult& result) {
  std::vector<std::string> places;
  for (const auto& defect : result.defects) places.push_back(defect.where);
  return places;
}

using Places = std::vector<std::string>;

}  // namespace

TEST_CASE("an intact file has no defects for Octavo and for HDF5", "[unit][archive]") {
  const TemporaryFolder folder;
  write_two_splits(folder / "a.h5");
  const auto result = octavo::verify(folder / "a.h5");
  REQUIRE(places_of(result) == Places{});
  REQUIRE(result.defect_count == 0);
  REQUIRE(result.hdf5_checked);
  REQUIRE(result.checked_samples == 23);
  REQUIRE(result.checked_bytes == static_cast<std::int64_t>(std::filesystem::file_size(folder / "a.h5")));
}

TEST_CASE("a damaged sample is named", "[unit][archive]") {
  const TemporaryFolder folder;
  write_two_splits(folder / "a.h5");
  flip(folder / "a.h5", Reader::open(folder / "a.h5")->find_split("train")->images.offset + 17 * 60);
  REQUIRE(places_of(octavo::verify(folder / "a.h5", {.with_hdf5 = false})) == Places{"/train/images sample 17"});
}

TEST_CASE("a damaged sample has its stored name unless the names are damaged", "[unit][archive]") {
  const TemporaryFolder folder;
  auto options = octavo::test::small_options(3);
  options.splits[0].with_names = true;
  {
    octavo::Writer writer(folder / "a.h5", options);
    auto values = octavo::test::values_of(options.splits[0].shape, 0, 3);
    const auto labels = octavo::test::classes_of(0, 3);
    const std::vector<std::string> names = {"cat/0.png", "cat/1.png", "dog/2.png"};
    writer.write(0, 0, values, std::as_bytes(std::span(labels)), names);
    writer.finish("{}");
  }
  const auto reader = Reader::open(folder / "a.h5");
  const auto* const split = reader->find_split("train");
  flip(folder / "a.h5", split->images.offset + 1 * 60);
  const auto named = octavo::verify(folder / "a.h5", {.with_hdf5 = false}).defects.at(0);
  CHECK(named.sample_name == "cat/1.png");
  CHECK(describe_place(named) == "/train/images sample 1 (\"cat/1.png\")");
  flip(folder / "a.h5", split->names->offset);
  const auto defects = octavo::verify(folder / "a.h5", {.with_hdf5 = false}).defects;
  REQUIRE(defects.size() == 2);
  CHECK(defects[0].where == "/train/names");
  CHECK(describe_place(defects[1]) == "/train/images sample 1");
}

TEST_CASE("a damaged chunk has the names of its first and last sample", "[unit][archive]") {
  octavo::dataset_file::DefectList defects;
  defects.add("/train/images chunk 1", "its hash does not match", {4, 3});
  defects.add("/train/histogram", "it does not match the samples");
  defects.name_samples([](std::int64_t row) { return std::to_string(row) + ".png"; });
  CHECK(describe_place(defects.kept()[0]) == "/train/images chunk 1 (\"4.png to 6.png\")");
  CHECK(describe_place(defects.kept()[1]) == "/train/histogram");
}

TEST_CASE("damaged samples are listed in order for any number of threads", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::WriterOptions options;
  options.splits = {{.name = "train", .shape = {1, 256, 256}, .labels = {}, .row_capacity = 100}};
  octavo::Writer writer(folder / "a.h5", options);
  auto values = octavo::test::values_of(options.splits[0].shape, 0, 100);
  writer.write(0, 0, values, {});
  writer.finish("{}");
  const std::int64_t images = Reader::open(folder / "a.h5")->find_split("train")->images.offset;
  for (const int row : {99, 3, 40, 41}) flip(folder / "a.h5", images + row * 65536);
  const auto result = octavo::verify(folder / "a.h5", {.thread_count = 3, .with_hdf5 = false});
  REQUIRE(places_of(result) == Places{"/train/images sample 3", "/train/images sample 40", "/train/images sample 41",
                                      "/train/images sample 99"});
}

TEST_CASE("damage to each dataset is named", "[unit][archive]") {
  const TemporaryFolder folder;
  write_two_splits(folder / "a.h5");
  const auto reader = Reader::open(folder / "a.h5");
  for (const auto& [path, extent] : octavo::dataset_file::extents_of(reader->index())) {
    flip(folder / "a.h5", extent.offset);
    const auto places = places_of(octavo::verify(folder / "a.h5", {.thread_count = 1, .with_hdf5 = false}));
    flip(folder / "a.h5", extent.offset);
    const std::string split = path.substr(0, path.find('/', 1));
    INFO(path);
    if (path.ends_with("labels") || path.ends_with("images"))
      REQUIRE(places == Places{split + "/images sample 0"});
    else if (path.ends_with("checksums"))
      REQUIRE(places == Places{path, split + "/images sample 0"});
    else
      REQUIRE(places == Places{path});
  }
}

TEST_CASE("damage to the header or the index is one defect", "[unit][archive]") {
  const TemporaryFolder folder;
  write_two_splits(folder / "a.h5");
  const std::int64_t index = octavo::test::header_of(folder / "a.h5").index_offset;
  flip(folder / "a.h5", 100);
  REQUIRE(places_of(octavo::verify(folder / "a.h5")) == Places{"header"});
  flip(folder / "a.h5", 100);
  flip(folder / "a.h5", index + 5);
  REQUIRE(places_of(octavo::verify(folder / "a.h5")) == Places{"/index"});
}

TEST_CASE("damaged metadata is named and skips the HDF5 check but not the samples", "[unit][archive]") {
  const TemporaryFolder folder;
  write_two_splits(folder / "a.h5");
  flip(folder / "a.h5", 4096 + 30);
  const auto result = octavo::verify(folder / "a.h5");
  REQUIRE(places_of(result) == Places{"metadata"});
  REQUIRE_FALSE(result.hdf5_checked);
  REQUIRE(result.checked_samples == 23);
}

TEST_CASE("statistics that do not match the samples are found despite correct hashes", "[unit][archive]") {
  const TemporaryFolder folder;
  write_two_splits(folder / "a.h5");
  octavo::test::forge_index(folder / "a.h5", [](octavo::Json& json) { json["splits"][0]["mean"][1] = 1.5; });
  auto header = octavo::test::header_of(folder / "a.h5");
  const octavo::File file = octavo::File::open_for_reading(folder / "a.h5");
  header.metadata_hash =
      octavo::dataset_file::metadata_hash(file, header, octavo::dataset_file::read_index(file, header));
  octavo::test::write_header(folder / "a.h5", header);
  const auto result = octavo::verify(folder / "a.h5");
  // HDF5 still has the true mean and the true index.
  REQUIRE(places_of(result) == Places{"/index", "/index", "/index", "/train"});
}

TEST_CASE("wrong name offsets are found despite correct hashes", "[unit][archive]") {
  const TemporaryFolder folder;
  write_two_splits(folder / "a.h5");
  const auto offsets = *Reader::open(folder / "a.h5")->find_split("test")->name_offsets;
  // Three empty names have the offsets 0, 1, 2, 3. Each list below has wrong ones.
  const std::vector<std::uint64_t> wrong = GENERATE(values<std::vector<std::uint64_t>>(
      {{1, 1, 2, 3}, {0, 2, 2, 3}, {0, 2, 1, 3}, {0, 1, 2, 2}, {0, 1, 2, 4}, {0, 1, 2, UINT64_MAX}, {0, 1, 1, 3}}));
  const auto bytes = std::as_bytes(std::span(wrong));
  octavo::File::open_for_writing(folder / "a.h5").write_at(offsets.offset, bytes);
  octavo::test::forge_index(folder / "a.h5", [&](octavo::Json& json) {
    json["splits"][1]["datasets"]["name_offsets"]["hash"] = octavo::to_hex(octavo::hash_bytes(bytes));
  });
  const auto result = octavo::verify(folder / "a.h5", {.with_hdf5 = false});
  REQUIRE(places_of(result) == Places{"metadata", "/test/name_offsets"});
}

TEST_CASE("every defect is counted and the first 1,000 are listed", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5", octavo::test::small_options(1500));
  const auto images = Reader::open(folder / "a.h5")->find_split("train")->images;
  auto bytes = octavo::test::bytes_of_file(folder / "a.h5");
  for (std::int64_t i = 0; i < images.bytes; ++i) bytes[static_cast<std::size_t>(images.offset + i)] ^= std::byte{1};
  octavo::test::write_bytes(folder / "a.h5", bytes);
  const auto result = octavo::verify(folder / "a.h5", {.with_hdf5 = false});
  REQUIRE(result.defect_count == 1500);
  REQUIRE(result.defects.size() == 1000);
  REQUIRE(result.defects[999].where == "/train/images sample 999");
}

TEST_CASE("an exception from on_progress stops the work and propagates", "[unit][archive]") {
  const TemporaryFolder folder;
  write_two_splits(folder / "a.h5");
  octavo::VerifyOptions options{.with_hdf5 = false};
  options.on_progress = [](const octavo::Progress&) { throw octavo::InvalidArgument("enough"); };
  REQUIRE_THROWS_WITH(octavo::verify(folder / "a.h5", options), "enough");
}

TEST_CASE("an unreadable file is an error and not a defect", "[unit][archive]") {
  REQUIRE_THROWS_AS(octavo::verify("no such file"), octavo::IoError);
}
