
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "shared_data.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

// Two gray images of 2 x 3 and their labels.
const std::string kImages = idx({2, 2, 3}, counting(12));
const std::string kLabels = idx({2}, std::string{7, 1});

}  // namespace

TEST_CASE("gray IDX images and their labels are read", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a-images-idx3-ubyte", kImages);
  write_file(folder / "a-labels-idx1-ubyte", kLabels);
  const auto source = open(folder / "a-images-idx3-ubyte");
  REQUIRE(source->splits().size() == 1);
  REQUIRE(source->splits()[0].shape == SampleShape{1, 2, 3});
  REQUIRE(source->splits()[0].color == Color::gray);
  REQUIRE(source->is_random_access());
  REQUIRE(source->sample_name(0, 1) == "a-images-idx3-ubyte#1");
  REQUIRE(source->class_index(0, 0) == 7);
  const Samples samples = read(*source, 0, 1, 1);
  REQUIRE(samples.values == std::vector<std::uint8_t>{6, 7, 8, 9, 10, 11});
  REQUIRE(samples.labels == std::vector<std::int32_t>{1});
}

TEST_CASE("a gzip IDX file gives the same rows as a plain one even if rows are skipped or repeated", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a-images-idx3-ubyte.gz", gzipped(idx({5, 1, 2}, counting(10))));
  const auto source = open(folder / "a-images-idx3-ubyte.gz");
  REQUIRE_FALSE(source->is_random_access());
  REQUIRE(source->splits()[0].labels.kind == LabelKind::none);
  REQUIRE(read(*source, 0, 1, 1).values == std::vector<std::uint8_t>{2, 3});
  REQUIRE(read(*source, 0, 4, 1).values == std::vector<std::uint8_t>{8, 9});
  REQUIRE(read(*source, 0, 0, 2).values == std::vector<std::uint8_t>{0, 1, 2, 3});
}

TEST_CASE("several gzip members are one stream", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a-images-idx3-ubyte.gz", gzipped(kImages.substr(0, 9)) + gzipped(kImages.substr(9)));
  REQUIRE(read_all(*open(folder / "a-images-idx3-ubyte.gz")).values[11] == 11);
}

TEST_CASE("IDX images with three channels last are transposed", "[unit][pack]") {
  const TemporaryFolder folder;
  // One image of 1 x 2 pixels: (0, 1, 2) and (3, 4, 5).
  write_file(folder / "rgb-idx4-ubyte", idx({1, 1, 2, 3}, counting(6)));
  const auto source = open(folder / "rgb-idx4-ubyte");
  REQUIRE(source->splits()[0].shape == SampleShape{3, 1, 2});
  REQUIRE(source->splits()[0].color == Color::rgb);
  REQUIRE(read_all(*source).values == std::vector<std::uint8_t>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("IDX files with wrong headers are refused", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto path = folder / "a-idx3-ubyte";
  const auto refused = [&](const std::string& bytes) {
    write_file(path, bytes);
    try {
      read_all(*open_source({{path, ""}}, {.format = "idx"}));
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK_THAT(refused(kImages + "x"), ContainsSubstring("13 bytes follow it"));
  CHECK_THAT(refused(kImages.substr(0, 20)), ContainsSubstring("can hold at most 20"));
  CHECK_THAT(refused(gzipped(kImages + "x")), ContainsSubstring("more bytes after byte 28"));
  CHECK_THAT(refused(gzipped(kImages.substr(0, 20))), ContainsSubstring("ends after 20 bytes"));
  CHECK_THAT(refused(gzipped(kImages).substr(0, 24)), ContainsSubstring("cut short"));
  CHECK_THAT(refused(gzipped(kImages) + "no gzip member"), ContainsSubstring("damaged"));
  CHECK_THAT(refused(idx({0, 2, 3}, "")), ContainsSubstring("holds nothing"));
  CHECK_THAT(refused(idx({0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, "")), ContainsSubstring("no file can hold"));
  CHECK_THAT(refused(idx({1, 2}, "ab")), ContainsSubstring("it has 2 axes"));
  CHECK_THAT(refused(std::string{3, 8, 0, 0}), ContainsSubstring("not an IDX file"));
  std::string wrong_crc = gzipped(kImages);
  wrong_crc[wrong_crc.size() - 8] ^= 1;
  CHECK_THAT(refused(wrong_crc), ContainsSubstring("incorrect data check"));
}

TEST_CASE("IDX files of floats are quantized", "[unit][pack]") {
  const TemporaryFolder folder;
  // 0, 0.5 and 1 as big-endian floats. Half of 255 is 127.5, rounded to even.
  const std::string floats = big_endian(0) + big_endian(0x3F000000) + big_endian(0x3F800000);
  write_file(folder / "a-idx3", std::string{0, 0, 13, 3} + big_endian(3) + big_endian(1) + big_endian(1) + floats);
  const auto source = open(folder / "a-idx3");
  REQUIRE(source->splits()[0].source_dtype == "float32");
  REQUIRE(source->splits()[0].quantization == std::vector<ChannelQuantization>{{1.0 / 255.0, 0.0}});
  REQUIRE(read_all(*source).values == std::vector<std::uint8_t>{0, 128, 255});
}

TEST_CASE("the number of labels must match the number of images", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a-images-idx3-ubyte", kImages);
  write_file(folder / "a-labels-idx1-ubyte", idx({1}, "x"));
  REQUIRE_THROWS_WITH(open(folder / "a-images-idx3-ubyte"), ContainsSubstring("there are 2 images"));
}

TEST_CASE("a gzip file that claims more than it can hold is refused before anything is allocated", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a-idx3-ubyte.gz", gzipped(idx({1u << 31, 1u << 15, 1u << 15}, "")));
  REQUIRE_THROWS_WITH(open(folder / "a-idx3-ubyte.gz"), ContainsSubstring("can hold at most"));
}

TEST_CASE("every odd IDX file is read or refused with one line that names it", "[unit][pack]") {
  const auto data = shared_data("odd/idx");
  if (!data) OCTAVO_SKIP("no shared data");
  std::vector<std::string> read_well;
  for (const auto& entry : std::filesystem::directory_iterator(*data)) {
    const std::string name = entry.path().filename().string();
    if (name.find("ubyte") == std::string::npos && name.find("float") == std::string::npos) continue;
    try {
      read_all(*open_source({{entry.path(), ""}}, {}));
      read_well.push_back(name);
    } catch (const Error& error) {
      CHECK_THAT(error.what(), ContainsSubstring(name));
      CHECK_THAT(error.what(), !ContainsSubstring("\n"));
    }
  }
  std::sort(read_well.begin(), read_well.end());
  CHECK(read_well == std::vector<std::string>{"float-idx3", "good-images-idx3-ubyte", "good-images-idx3-ubyte.gz",
                                              "rgb-idx4-ubyte", "two-members-idx3-ubyte.gz"});
}
