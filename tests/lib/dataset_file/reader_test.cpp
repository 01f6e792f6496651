#include "format/reader.hpp"

#include <sys/stat.h>

#include <fstream>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/version.hpp>

#include "catch.hpp"
#include "dataset_file/file_dataset.hpp"
#include "small_file.hpp"
#include "temporary_folder.hpp"

using octavo::Dataset;
using octavo::test::TemporaryFolder;

TEST_CASE("reading gives codes that are values - 128 and unchanged labels", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  const octavo::Split split = Dataset::open(folder / "a.h5").split("train");
  REQUIRE(split.sample_count() == 20);
  REQUIRE(split.shape() == octavo::SampleShape{3, 4, 5});
  REQUIRE(split.packed_bytes() == 20 * 60);
  std::vector<std::int8_t> codes(20 * 60);
  std::vector<std::int32_t> labels(20);
  split.read_checked(0, 20, codes, std::as_writable_bytes(std::span(labels)));
  for (std::size_t i = 0; i < codes.size(); ++i) REQUIRE(codes[i] + 128 == octavo::test::value_at(i));
  REQUIRE(labels == octavo::test::classes_of(0, 20));
}

TEST_CASE("any range of rows can be read including an empty one", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  const octavo::Split split = Dataset::open(folder / "a.h5").split("train");
  for (const auto& [first, count] : {std::pair{0, 1}, {19, 1}, {7, 6}, {20, 0}, {0, 0}}) {
    std::vector<std::int8_t> codes(static_cast<std::size_t>(count) * 60);
    split.read(first, count, codes);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      REQUIRE(codes[i] + 128 == octavo::test::value_at(static_cast<std::size_t>(first) * 60 + i));
    }
  }
}

TEST_CASE("rows out of range and spans of a wrong size are refused", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  const octavo::Split split = Dataset::open(folder / "a.h5").split("train");
  std::vector<std::int8_t> codes(60);
  std::vector<std::byte> labels(4);
  REQUIRE_THROWS_AS(split.read(20, 1, codes), octavo::InvalidArgument);
  REQUIRE_THROWS_AS(split.read(-1, 1, codes), octavo::InvalidArgument);
  REQUIRE_THROWS_AS(split.read(0, 2, codes), octavo::InvalidArgument);
  REQUIRE_THROWS_AS(split.read(INT64_MAX, 1, codes), octavo::InvalidArgument);
  REQUIRE_THROWS_AS(split.read_labels(0, 2, labels), octavo::InvalidArgument);
  REQUIRE_THROWS_AS(split.read_checked(0, 1, codes, {}), octavo::InvalidArgument);
  REQUIRE_THROWS_AS(split.sample_name(20), octavo::InvalidArgument);
}

TEST_CASE("a file describes its contents", "[unit][archive]") {
  const TemporaryFolder folder;
  auto options = octavo::test::small_options();
  options.splits.push_back(octavo::test::small_split("test", 1));
  octavo::test::write_small_file(folder / "a.h5", options);
  const Dataset dataset = Dataset::open(folder / "a.h5");
  REQUIRE(dataset.split_names() == std::vector<std::string>{"train", "test"});
  REQUIRE(dataset.has_split("test"));
  REQUIRE_FALSE(dataset.has_split("val"));
  REQUIRE(dataset.class_names() == options.class_names);
  REQUIRE(dataset.split("test").class_names() == options.class_names);
  REQUIRE(dataset.format_version() == 1);
  REQUIRE(dataset.writer() == "octavo " + std::string(octavo::kVersion));
  REQUIRE(dataset.uuid() == "00000000-0000-8000-8000-000000000000");
  REQUIRE(dataset.created() == "1970-01-01T00:00:00Z");
  REQUIRE(dataset.file_bytes() == static_cast<std::int64_t>(std::filesystem::file_size(folder / "a.h5")));
  REQUIRE(dataset.path() == folder / "a.h5");
  REQUIRE(dataset.split("train").color() == octavo::Color::rgb);
  REQUIRE(dataset.split("train").source_dtype() == "uint8");
}

TEST_CASE("the error for an unknown split lists the existing ones", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  REQUIRE_THROWS_WITH(Dataset::open(folder / "a.h5").split("val"), ContainsSubstring("it has train"));
}

TEST_CASE("read_checked names a damaged sample and read returns it", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  const auto images = octavo::dataset_file::Reader::open(folder / "a.h5")->find_split("train")->images;
  auto bytes = octavo::test::bytes_of_file(folder / "a.h5");
  bytes[static_cast<std::size_t>(images.offset) + 17 * 60 + 59] ^= std::byte{1};
  octavo::test::write_bytes(folder / "a.h5", bytes);
  const octavo::Split split = Dataset::open(folder / "a.h5").split("train");
  std::vector<std::int8_t> codes(20 * 60);
  std::vector<std::byte> labels(20 * 4);
  split.read(0, 20, codes);
  REQUIRE_THROWS_AS(split.read_checked(0, 20, codes, labels), octavo::FormatError);
  REQUIRE_THROWS_WITH(split.read_checked(0, 20, codes, labels), ContainsSubstring("/train/images sample 17"));
}

TEST_CASE("a file that changes while it is open is detected", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  const auto reader = octavo::dataset_file::Reader::open(folder / "a.h5");
  reader->ensure_unchanged();
  std::ofstream(folder / "a.h5", std::ios::app) << "x";
  REQUIRE_THROWS_WITH(reader->ensure_unchanged(), ContainsSubstring("changed while it was read"));
}

TEST_CASE("a split keeps its file open after the dataset is destroyed", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  const octavo::Split split = Dataset::open(folder / "a.h5").split("train");
  std::filesystem::remove(folder / "a.h5");
  std::vector<std::int8_t> codes(60);
  split.read(0, 1, codes);
  REQUIRE(codes[0] + 128 == octavo::test::value_at(0));
  REQUIRE(split.name() == "train");
  const auto& in_file = dynamic_cast<const octavo::dataset_file::FileSplit&>(*split.data());
  REQUIRE(in_file.reader().row_checksums(in_file.entry(), 3, 4).size() == 4);
}

TEST_CASE("anything but a dataset file is refused with a reason", "[unit][archive]") {
  const TemporaryFolder folder;
  REQUIRE_THROWS_AS(Dataset::open(folder / "missing"), octavo::IoError);
  REQUIRE_THROWS_WITH(Dataset::open(folder.path()),
                      ContainsSubstring("a folder, not a dataset file; pack it first: `octavo pack "));
  std::ofstream(folder / "empty");
  REQUIRE_THROWS_AS(Dataset::open(folder / "empty"), octavo::FormatError);
  std::ofstream(folder / "text") << std::string(5000, 'x');
  REQUIRE_THROWS_WITH(Dataset::open(folder / "text"), ContainsSubstring("not an Octavo file"));
  REQUIRE_THROWS_WITH(Dataset::open(folder / "text"), ContainsSubstring("text\" -o text.h5`"));
  std::filesystem::rename(folder / "text", folder / "other.h5");
  REQUIRE_THROWS_WITH(Dataset::open(folder / "other.h5"), ContainsSubstring("; get the file again, or pack the data"));
  std::ofstream(folder / "plain.h5") << "\x89HDF\r\n\x1a\n" << std::string(5000, 'x');
  REQUIRE_THROWS_WITH(Dataset::open(folder / "plain.h5"), ContainsSubstring("octavo reindex"));
}

TEST_CASE("the advice to pack a folder names a file that is not in the folder", "[unit][archive]") {
  const TemporaryFolder folder;
  const std::filesystem::path photos = folder.path() / "photos.v2", before = std::filesystem::current_path();
  std::filesystem::create_directories(photos / "cat");
  const auto advice_for = [](const std::filesystem::path& path) {
    try {
      Dataset::open(path);
    } catch (const octavo::IoError& error) {
      const std::string text = error.what();
      return text.substr(text.find('`'));
    }
    return std::string("no error");
  };
  std::filesystem::current_path(photos);
  const std::string here = advice_for("."), from_absolute = advice_for(photos), root = advice_for("/");
  std::filesystem::current_path(photos / "cat");
  const std::string above = advice_for("..");
  std::filesystem::current_path(folder.path());
  const std::string named = advice_for("photos.v2"), with_slash = advice_for("photos.v2/"),
                    with_point = advice_for("photos.v2/.");
  std::filesystem::current_path(before);
  CHECK(here == "`octavo pack . -o ../photos.v2.h5`");
  CHECK(above == "`octavo pack .. -o ../../photos.v2.h5`");
  CHECK(from_absolute == "`octavo pack \"" + photos.string() + "\" -o \"" + photos.string() + ".h5\"`");
  CHECK(root == "`octavo pack / -o FILE.h5`");
  CHECK(named == "`octavo pack photos.v2 -o photos.v2.h5`");
  CHECK(with_slash == "`octavo pack photos.v2 -o photos.v2.h5`");
  CHECK(with_point == "`octavo pack photos.v2/. -o photos.v2.h5`");
}
