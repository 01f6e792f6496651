#include <algorithm>
#include <cstring>
#include <map>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "shared_data.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

template <typename Number>
std::string bytes_of(std::initializer_list<Number> numbers) {
  std::string bytes;
  for (const Number number : numbers) {
    char raw[sizeof(Number)];
    std::memcpy(raw, &number, sizeof number);
    bytes.append(raw, sizeof number);
  }
  return bytes;
}

std::vector<std::uint8_t> values_of(const std::filesystem::path& path, SourceOptions options = {}) {
  return read_all(*open(path, options)).values;
}

}  // namespace

TEST_CASE("images of a .npy file are read for any order of axes", "[unit][pack]") {
  const TemporaryFolder folder;
  // One image of 1 x 2 pixels, (0, 1, 2) and (3, 4, 5), has the planes 0 3, 1 4, 2 5.
  const std::vector<std::uint8_t> planes = {0, 3, 1, 4, 2, 5};
  write_file(folder / "hwc.npy", npy("|u1", "1, 1, 2, 3", counting(6)));
  write_file(folder / "chw.npy", npy("|u1", "1, 3, 1, 2", {0, 3, 1, 4, 2, 5}));
  // In Fortran order, the channels vary slowest: 0 3 of the first, 1 4 of the second, ...
  write_file(folder / "fortran.npy", npy("|u1", "1, 1, 2, 3", {0, 3, 1, 4, 2, 5}, true));
  for (const char* name : {"hwc.npy", "chw.npy", "fortran.npy"}) {
    INFO(name);
    const auto source = open(folder / name);
    REQUIRE(source->splits()[0].shape == SampleShape{3, 1, 2});
    REQUIRE(read_all(*source).values == planes);
  }
}

TEST_CASE("arrays in Fortran order give the same rows for any pieces", "[unit][pack]") {
  const TemporaryFolder folder;
  constexpr std::int64_t kRows = 37, kValues = 2 * 3 * 3;
  std::string in_c(kRows * kValues, '\0'), in_fortran = in_c;
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t h = 0; h < 2; ++h) {
      for (std::int64_t w = 0; w < 3; ++w) {
        for (std::int64_t c = 0; c < 3; ++c) {
          const char value = static_cast<char>(row * 5 + h * 64 + w * 16 + c);
          in_c[static_cast<std::size_t>(((row * 2 + h) * 3 + w) * 3 + c)] = value;
          in_fortran[static_cast<std::size_t>(((c * 3 + w) * 2 + h) * kRows + row)] = value;
        }
      }
    }
  }
  write_file(folder / "c.npy", npy("|u1", "37, 2, 3, 3", in_c));
  write_file(folder / "f.npy", npy("|u1", "37, 2, 3, 3", in_fortran, true));
  const auto c = open(folder / "c.npy"), f = open(folder / "f.npy");
  REQUIRE(read_all(*c).values == read_all(*f).values);
  REQUIRE(read(*c, 0, 11, 7).values == read(*f, 0, 11, 7).values);
}

TEST_CASE("numbers of every type become bytes and exactly if possible", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto check = [&](const std::string& type, const std::string& data, std::vector<std::uint8_t> values,
                         ChannelQuantization map) {
    INFO(type);
    write_file(folder / "x.npy", npy(type, "3, 1, 1", data));
    const auto source = open(folder / "x.npy");
    CHECK(source->splits()[0].quantization == std::vector<ChannelQuantization>{map});
    CHECK(read_all(*source).values == values);
  };
  check("|i1", bytes_of<std::int8_t>({-128, 0, 127}), {0, 128, 255}, {1.0, -128.0});
  check("<u2", bytes_of<std::uint16_t>({3, 7, 200}), {3, 7, 200}, {1.0, 0.0});
  check(">u2", {0, 3, 0, 7, 0, 100}, {3, 7, 100}, {1.0, 0.0});
  check("<i4", bytes_of<std::int32_t>({-5, 0, 250}), {0, 5, 255}, {1.0, -5.0});
  check("<u2", bytes_of<std::uint16_t>({0, 257, 65535}), {0, 1, 255}, {257.0, 0.0});
  check("<f4", bytes_of<float>({0.0f, 0.5f, 1.0f}), {0, 128, 255}, {1.0 / 255.0, 0.0});
  check("<f8", bytes_of<double>({-1.0, 0.0, 1.0}), {0, 128, 255}, {2.0 / 255.0, -1.0});
  check("<f4", bytes_of<float>({0.0f, 17.0f, 254.0f}), {0, 17, 254}, {1.0, 0.0});
  check("<f4", bytes_of<float>({-10.0f, 41.0f, 500.0f}), {0, 26, 255}, {2.0, -10.0});  // 51 / 2 = 25.5, to even: 26
  // 0, 0.5 and 1 in half precision.
  check("<f2", bytes_of<std::uint16_t>({0x0000, 0x3800, 0x3C00}), {0, 128, 255}, {1.0 / 255.0, 0.0});
}

TEST_CASE("the value range can be given or measured without the extremes", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "x.npy", npy("<f4", "3, 1, 1", bytes_of<float>({-1.0f, 2.0f, 60.0f})));
  SourceOptions options;
  options.range = {.kind = ValueRange::Kind::given, .low = 0.0, .high = 51.0};
  REQUIRE(values_of(folder / "x.npy", options) == std::vector<std::uint8_t>{0, 10, 255});

  // Two channels of one number.
  write_file(folder / "c.npy", npy("<f4", "1, 2, 1, 1", bytes_of<float>({10.0f, 500.0f})));
  options.layout = ArrayLayout::chw;
  options.range = {.kind = ValueRange::Kind::given, .by_channel = {{0.0, 51.0}, {0.0, 2550.0}}};
  REQUIRE(values_of(folder / "c.npy", options) == std::vector<std::uint8_t>{50, 50});
  options.range.by_channel.pop_back();
  REQUIRE_THROWS_WITH(open(folder / "c.npy", options),
                      ContainsSubstring("1 range for 2 channels; give one for all channels, or one for each"));
  options = {};

  std::string numbers;
  for (int i = 0; i < 1000; ++i) numbers += bytes_of<float>({static_cast<float>(i)});
  numbers += bytes_of<float>({1.0e6f});
  write_file(folder / "y.npy", npy("<f4", "1001, 1, 1", numbers));
  options.range = {.kind = ValueRange::Kind::percentile, .percentile = 99.0};
  const auto source = open(folder / "y.npy", options);
  const auto map = source->splits()[0].quantization.at(0);
  // 99 % of the numbers are below 1,000. A bin of the measured range is 15.3 wide.
  REQUIRE(map.zero_point < 30.0);
  REQUIRE(255.0 * map.scale + map.zero_point < 1020.0);
  static_cast<void>(read_all(*source));
  REQUIRE_THAT(to_json(source->notes()),
               ContainsSubstring("\"from\":\"float32\"") && ContainsSubstring("\"clipped\":"));
}

TEST_CASE("a sample with a NaN is a bad sample", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "x.npy", npy("<f4", "3, 1, 1", bytes_of<float>({0.0f, NAN, 1.0f})));
  const Samples samples = read_all(*open(folder / "x.npy"));
  REQUIRE(samples.failures.size() == 1);
  REQUIRE(samples.failures[0].name == "x.npy#1");
  REQUIRE(samples.values[2] == 255);
}

TEST_CASE("labels are found next to the images and splits by name", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* split : {"train", "test"}) {
    write_file(folder / (std::string("x_") + split + ".npy"), npy("|u1", "2, 1, 2", counting(4)));
    write_file(folder / (std::string("y_") + split + ".npy"), npy("<i8", "2,", bytes_of<std::int64_t>({4, 3})));
  }
  const auto source = open(folder.path());
  REQUIRE(source->splits().size() == 2);
  REQUIRE(source->splits()[0].name == "train");
  REQUIRE(source->splits()[1].name == "test");
  REQUIRE(read_all(*source, 1).labels == std::vector<std::int32_t>{4, 3});
}

TEST_CASE("channels of quantized images are merged or repeated only if all have the same quantization",
          "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "gray.npy", npy("<f4", "1, 1, 2", bytes_of<float>({-1.0f, 1.0f})));
  const auto repeated = open(folder / "gray.npy", {.channels = 3});
  REQUIRE(repeated->splits()[0].quantization.size() == 3);
  pack(*repeated, folder / "gray.h5");
  REQUIRE(Dataset::open(folder / "gray.h5").split("train").statistics().quantization.size() == 3);
  write_file(folder / "rgb.npy", npy("<f4", "1, 1, 2, 3", bytes_of<float>({0.0f, 0.0f, 0.0f, 10.0f, 20.0f, 20.0f})));
  const ValueRange own = {.kind = ValueRange::Kind::measured};
  REQUIRE_THROWS_WITH(open(folder / "rgb.npy", {.channels = 1, .range = own}),
                      ContainsSubstring("give all of them one `range`"));
  const ValueRange range = {ValueRange::Kind::given, 0.0, 20.0};
  REQUIRE(open(folder / "rgb.npy", {.channels = 1, .range = range})->splits()[0].quantization.size() == 1);
}

TEST_CASE("labels of several numbers are multi-labels or targets", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "images.npy", npy("|u1", "2, 1, 2", counting(4)));
  const auto layout_with = [&](const std::string& labels) {
    write_file(folder / "labels.npy", labels);
    return open(folder / "images.npy")->splits()[0].labels;
  };
  CHECK(layout_with(npy("|u1", "2, 3", {0, 1, 0, 1, 1, 0})) == LabelLayout{LabelKind::multi_label, 3});
  CHECK(layout_with(npy("|u1", "2, 3", {0, 1, 0, 1, 2, 0})) == LabelLayout{LabelKind::target, 3});
  CHECK(layout_with(npy("<f4", "2,", bytes_of<float>({0.5f, 1.0f}))) == LabelLayout{LabelKind::target, 1});
  CHECK(layout_with(npy("<i8", "2, 1", bytes_of<std::int64_t>({7, 1}))) == LabelLayout{LabelKind::class_index, 1});
  CHECK_THROWS_WITH(layout_with(npy("<i8", "3,", bytes_of<std::int64_t>({7, 1, 2}))),
                    ContainsSubstring("there are 3, but there are 2 images"));
  CHECK_THROWS_WITH(layout_with(npy("<i8", "2,", bytes_of<std::int64_t>({7, -1}))),
                    ContainsSubstring("\"images.npy#1\": its label is missing (-1)"));
}

TEST_CASE(".npy files with wrong headers are refused", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes) {
    write_file(folder / "x.npy", bytes);
    try {
      read_all(*open(folder / "x.npy", {.format = "npy"}));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK_THAT(refused(npy("|O", "2, 1, 1", "xx")), ContainsSubstring("Python objects"));
  CHECK_THAT(refused(npy("<c8", "2, 1, 1", std::string(16, 'x'))), ContainsSubstring("not plain numbers"));
  CHECK_THAT(refused(npy("|u1", "2, 1, 1", "x")), ContainsSubstring("can hold at most"));
  CHECK_THAT(refused(npy("|u1", "2, 1, 1", "xyz")), ContainsSubstring("3 bytes follow it"));
  CHECK_THAT(refused(npy("|u1", "-2, 1, 1", "x")), ContainsSubstring("not describe an array"));
  CHECK_THAT(refused(npy("|u1", "0, 1, 1", "")), ContainsSubstring("holds nothing"));
  CHECK_THAT(refused(npy("|u1", "", "x")), ContainsSubstring("not an array"));
  CHECK_THAT(refused(npy("|u1", "9223372036854775807, 9223372036854775807, 9", "x")), ContainsSubstring("no file"));
  CHECK_THAT(refused(npy("|u1", "4, 9", counting(36))), ContainsSubstring("3 axes"));
  CHECK_THAT(refused(npy("|u1", "2, 7, 1, 5", counting(70))), ContainsSubstring("`layout`"));
  CHECK_THAT(refused(std::string("\x93NUMPY\x09\0\x10\0", 10)), ContainsSubstring("version 9"));
  CHECK_THAT(refused("{'descr'"), ContainsSubstring("x.npy"));
}

TEST_CASE("every odd .npy and .npz file is packed as NumPy reads it or refused with one line that names it",
          "[unit][pack]") {
  const auto data = shared_data("odd/npy");
  if (!data) OCTAVO_SKIP("no shared data");
  std::map<std::string, std::vector<std::uint8_t>> read_well;
  for (const auto& entry : std::filesystem::directory_iterator(*data)) {
    const std::string name = entry.path().filename().string();
    if (name == "INDEX.tsv") continue;
    try {
      const auto source = open(entry.path());
      const Samples samples = read_all(*source);
      if (samples.failures.empty()) read_well[name] = samples.values;
      if (!samples.failures.empty()) CHECK(name == "f32_nan.npy");
    } catch (const Unavailable&) {
      CHECK(name.ends_with(".npz"));
    } catch (const Error& error) {
      INFO(name << ": " << error.what());
      CHECK_THAT(error.what(), ContainsSubstring(name));
      CHECK_THAT(error.what(), !ContainsSubstring("\n"));
    }
  }
  // The same 32 color images, and the same 64 gray ones.
  for (const char* name :
       {"u8_nchw.npy", "u8_fortran.npy", "i8.npy", "f32_01.npy", "stored.npz", "deflated.npz", "extra_member.npz"}) {
    INFO(name);
    CHECK(read_well.contains(name));
    CHECK((read_well[name] == read_well.at("u8_nhwc.npy")));
  }
  for (const char* name : {"u8_gray_1ch.npy", "version_2_0.npy", "version_3_0.npy"}) {
    INFO(name);
    CHECK((read_well[name] == read_well.at("u8_gray.npy")));
  }
  CHECK((read_well["u16_be.npy"] == read_well.at("u16_le.npy")));
  for (const char* name :
       {"bad_magic.npy", "truncated.npy", "truncated_header.npy", "shape_lies.npy", "shape_overflow.npy",
        "trailing.npy", "zero_byte.npy", "structured.npy", "truncated.npz", "bad_crc.npz", "numpy_py2-objarr.npy",
        "numpy_py3-objarr.npz", "u8_empty.npy", "u8_0d.npy"}) {
    INFO(name);
    CHECK_FALSE(read_well.contains(name));
  }
}

TEST_CASE("values with different quantization cannot share a split", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", npy("<f4", "1, 1, 2", bytes_of<float>({-1.0f, 1.0f})));
  write_file(folder / "b.npy", npy("|u1", "1, 1, 2", "xy"));
  REQUIRE_THROWS_WITH(open_source({{folder / "a.npy", "train"}, {folder / "b.npy", "train"}}, {}),
                      ContainsSubstring("have another value range") &&
                          ContainsSubstring("; pack each source with the same `range` of two numbers"));
}

TEST_CASE("NumPy files next to other datasets are ambiguous and refused", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "train.npy", npy("|u1", "4, 2, 2", counting(16)));
  REQUIRE(open_source({{folder.path()}}, {})->format() == "npy");
  write_file(folder / "test.tar", "any bytes");
  REQUIRE_THROWS_WITH(open_source({{folder.path()}}, {}), ContainsSubstring("train.npy") &&
                                                              ContainsSubstring("test.tar") &&
                                                              ContainsSubstring("name the files to use"));
}
