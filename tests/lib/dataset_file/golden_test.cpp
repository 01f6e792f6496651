// Golden files tests/golden/v1.h5, v1-deflate.h5, v1-lp8.h5, v1-lc8.h5, v2.h5, v3.h5 and v4-lc8.h5, which every later
// version must be able to read unchanged.
//
// The functions write_...() below wrote them, with OCTAVO_UPDATE_GOLDEN=1 in the environment. v1.h5.txt records the
// versions of HDF5 and Octavo that wrote them. For the deflated one, only reading is guaranteed, because another
// version of libdeflate may deflate differently.
#include <hdf5.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <octavo/dataset.hpp>
#include <octavo/verify.hpp>
#include <octavo/version.hpp>

#include "catch.hpp"
#include "forge.hpp"
#include "small_file.hpp"
#include "temporary_folder.hpp"

using octavo::test::TemporaryFolder;

namespace {

constexpr const char* kGoldenColumns = R"({"age":[3,null,12],"box":[[0,1],[0,2],"k\u00e4fer"]})";

std::filesystem::path golden_file(const char* name = "v1.h5") {
  return std::filesystem::path(OCTAVO_SOURCE_DIR) / "tests" / "golden" / name;
}

/// Two splits: `train`, 6 gray samples of 2x3 with 3 classes and names, value = 10 * row + index; `val`, 2 samples of
/// 3x1x1 with 2 targets each.
void write_golden(const std::filesystem::path& path) {
  octavo::WriterOptions options;
  options.splits = {{.name = "train",
                     .shape = {1, 2, 3},
                     .labels = {octavo::LabelKind::class_index, 1},
                     .color = octavo::Color::gray,
                     .row_capacity = 6,
                     .with_names = true},
                    {.name = "val",
                     .shape = {3, 1, 1},
                     .labels = {octavo::LabelKind::target, 2},
                     .color = octavo::Color::rgb,
                     .row_capacity = 2}};
  options.class_names = {"ant", "bee",
                         "k\xC3\xA4"
                         "fer"};
  options.reproducible = true;
  octavo::Writer writer(path, options);
  std::vector<std::uint8_t> values;
  std::vector<std::string> names;
  for (int row = 0; row < 6; ++row) {
    for (int place = 0; place < 6; ++place) values.push_back(static_cast<std::uint8_t>(10 * row + place));
    names.push_back("n" + std::to_string(row));
  }
  const std::vector<std::int32_t> labels = {0, 1, 2, 2, 1, 0};
  writer.write(0, 0, values, std::as_bytes(std::span(labels)), names);
  std::vector<std::uint8_t> colors = {0, 127, 128, 255, 1, 254};
  const std::vector<float> targets = {0.5f, -1.0f, 2.0f, 1e-3f};
  writer.write(1, 0, colors, std::as_bytes(std::span(targets)));
  writer.finish("{\"source\":\"golden\"}");
}

/// `train`, 6 samples of 2x5x5 with value = 10 * row + channel, which shrink; `val`, 2 samples of 3x1x1 without labels,
/// which do not.
void write_deflated_golden(const std::filesystem::path& path) {
  octavo::WriterOptions options;
  options.splits = {
      {.name = "train", .shape = {2, 5, 5}, .labels = {octavo::LabelKind::class_index, 1}, .row_capacity = 6},
      {.name = "val", .shape = {3, 1, 1}, .labels = {}, .row_capacity = 2}};
  options.compression = octavo::Compression::deflate;
  options.reproducible = true;
  octavo::Writer writer(path, options);
  std::vector<std::uint8_t> values;
  for (int i = 0; i < 300; ++i) values.push_back(static_cast<std::uint8_t>(10 * (i / 50) + i % 50 / 25));
  const std::vector<std::int32_t> labels = {5, 4, 3, 2, 1, 0};
  writer.write(0, 0, values, std::as_bytes(std::span(labels)));
  std::vector<std::uint8_t> colors = {0, 127, 128, 255, 1, 254};
  writer.write(1, 0, colors, {});
  writer.finish("{\"source\":\"golden\"}");
}

/// A golden file of coded rows.
struct CodedGolden {
  const char* name;
  octavo::Compression compression;
  octavo::SampleShape shape;  ///< of a sample of `train`
  int max_error = 0;          ///< of `train`
};
/// Two bands of rows; a tile of 5 columns.
constexpr CodedGolden kLp8Golden = {"v1-lp8.h5", octavo::Compression::lp8, {3, 35, 13}};
/// Two bands of rows; two groups of strips, the second one of a strip with 3 columns.
constexpr CodedGolden kLc8Golden = {"v1-lc8.h5", octavo::Compression::lc8, {3, 65, 35}};

/// The same with values that are multiples of 5.
constexpr CodedGolden kRoundedGolden = {"v4-lc8.h5", octavo::Compression::lc8, {3, 65, 35}, 2};

/// The samples of `train`: planes like each other; in the last sample noise, and in the one before also on its left.
std::vector<std::uint8_t> coded_samples(const CodedGolden& golden) {
  const octavo::SampleShape& shape = golden.shape;
  std::vector<std::uint8_t> values;
  for (int row = 0; row < 4; ++row) {
    for (int c = 0; c < shape.channels; ++c) {
      for (int y = 0; y < shape.height; ++y) {
        for (int x = 0; x < shape.width; ++x) {
          const auto i = static_cast<std::uint32_t>(values.size());
          const bool is_noise = row == 3 || (row == 2 && shape.width > 32 && x < 8);
          values.push_back(is_noise ? static_cast<std::uint8_t>(i * 2654435761u >> 24)
                                    : static_cast<std::uint8_t>(100 + 5 * x + (row == 1 ? 31 * x : 2 * y) + 4 * c +
                                                                x * y * (row + 1) % 5));
        }
      }
    }
  }
  for (std::uint8_t& value : values)
    value = static_cast<std::uint8_t>(value - value % octavo::value_step(golden.max_error));
  return values;
}

/// `train`, 4 samples; `val`, 2 samples of 3x1x1, which do not shrink.
void write_coded_golden(const CodedGolden& golden, const std::filesystem::path& path) {
  octavo::WriterOptions options;
  options.splits = {
      {.name = "train", .shape = golden.shape, .labels = {octavo::LabelKind::class_index, 1}, .row_capacity = 4},
      {.name = "val", .shape = {3, 1, 1}, .labels = {}, .row_capacity = 2}};
  options.splits[0].max_error = golden.max_error;
  options.compression = golden.compression;
  options.reproducible = true;
  octavo::Writer writer(path, options);
  std::vector<std::uint8_t> values = coded_samples(golden);
  const std::vector<std::int32_t> labels = {3, 1, 2, 0};
  writer.write(0, 0, values, std::as_bytes(std::span(labels)));
  std::vector<std::uint8_t> colors = {0, 127, 128, 255, 1, 254};
  writer.write(1, 0, colors, {});
  writer.finish("{\"source\":\"golden\"}");
}

/// A file of format version 2: `train`, 3 samples of 1x2x3 with value = 10 * row + index, and a mask of row + index;
/// `val`, one sample of 1x2x3 without mask.
void write_golden_2(const std::filesystem::path& path) {
  octavo::WriterOptions options;
  options.splits = {{.name = "train",
                     .shape = {1, 2, 3},
                     .labels = {octavo::LabelKind::class_index, 1},
                     .color = octavo::Color::gray,
                     .row_capacity = 3,
                     .has_masks = true},
                    {.name = "val", .shape = {1, 2, 3}, .labels = {}, .color = octavo::Color::gray, .row_capacity = 1}};
  options.reproducible = true;
  octavo::Writer writer(path, options);
  std::vector<std::uint8_t> values, masks, other(6, 100);
  for (int row = 0; row < 3; ++row) {
    for (int place = 0; place < 6; ++place) {
      values.push_back(static_cast<std::uint8_t>(10 * row + place));
      masks.push_back(static_cast<std::uint8_t>(row + place));
    }
  }
  const std::vector<std::int32_t> labels = {2, 1, 0};
  writer.write(0, 0, values, std::as_bytes(std::span(labels)), {}, masks);
  writer.write(1, 0, other, {});
  writer.finish("{\"source\":\"golden\"}");
}

/// A file of format version 3: `train`, 3 samples of 1x1x2 with value = 10 * row + index, and two columns.
void write_golden_3(const std::filesystem::path& path) {
  octavo::WriterOptions options;
  options.splits = {
      {.name = "train", .shape = {1, 1, 2}, .labels = {}, .color = octavo::Color::gray, .row_capacity = 3}};
  options.reproducible = true;
  octavo::Writer writer(path, options);
  std::vector<std::uint8_t> values = {0, 1, 10, 11, 20, 21};
  writer.write(0, 0, values, {});
  writer.set_columns(0, kGoldenColumns);
  writer.finish("{\"source\":\"golden\"}");
}

std::string linked_hdf5_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

void update_golden_files() {
  std::filesystem::remove(golden_file());
  write_golden(golden_file());
  std::filesystem::remove(golden_file("v1-deflate.h5"));
  write_deflated_golden(golden_file("v1-deflate.h5"));
  for (const CodedGolden& golden : {kLp8Golden, kLc8Golden, kRoundedGolden}) {
    std::filesystem::remove(golden_file(golden.name));
    write_coded_golden(golden, golden_file(golden.name));
  }
  std::filesystem::remove(golden_file("v2.h5"));
  write_golden_2(golden_file("v2.h5"));
  std::filesystem::remove(golden_file("v3.h5"));
  write_golden_3(golden_file("v3.h5"));
  std::ofstream(golden_file().string() + ".txt") << linked_hdf5_version() << ' ' << octavo::kVersion << '\n';
}

}  // namespace

TEST_CASE("the golden file of format version 1 has the written values", "[golden][archive]") {
  const auto dataset = octavo::Dataset::open(golden_file());
  REQUIRE(dataset.format_version() == 1);
  REQUIRE(dataset.split_names() == std::vector<std::string>{"train", "val"});
  REQUIRE(dataset.class_names() == std::vector<std::string>{"ant", "bee",
                                                            "k\xC3\xA4"
                                                            "fer"});
  const auto train = dataset.split("train");
  std::vector<std::int8_t> codes(36);
  std::vector<std::int32_t> labels(6);
  train.read_checked(0, 6, codes, std::as_writable_bytes(std::span(labels)));
  for (int i = 0; i < 36; ++i) REQUIRE(codes[static_cast<std::size_t>(i)] == 10 * (i / 6) + i % 6 - 128);
  REQUIRE(labels == std::vector<std::int32_t>{0, 1, 2, 2, 1, 0});
  REQUIRE(train.sample_name(5) == "n5");
  const auto val = dataset.split("val");
  std::vector<std::int8_t> colors(6);
  std::vector<float> targets(4);
  val.read_checked(0, 2, colors, std::as_writable_bytes(std::span(targets)));
  REQUIRE(colors == std::vector<std::int8_t>{-128, -1, 0, 127, -127, 126});
  REQUIRE(targets == std::vector<float>{0.5f, -1.0f, 2.0f, 1e-3f});
}

TEST_CASE("the golden file of format version 1 has the hand-computed statistics", "[golden][archive]") {
  const auto dataset = octavo::Dataset::open(golden_file());
  const auto train = dataset.split("train").statistics();
  // Values 10 r + p: mean 25 + 2.5. Variance 100 * 35/12 + 35/12 = 3535/12.
  REQUIRE(train.mean == std::vector<double>{27.5});
  REQUIRE(std::abs(train.standard_deviation[0] - std::sqrt(3535.0 / 12.0)) < 1e-14);
  REQUIRE(train.mean_image == std::vector<float>{25, 26, 27, 28, 29, 30});
  const auto val = dataset.split("val").statistics();
  REQUIRE(val.mean == std::vector<double>{127.5, 64.0, 191.0});
  REQUIRE(val.standard_deviation == std::vector<double>{127.5, 63.0, 63.0});
}

TEST_CASE("the deflated golden file of format version 1 has the written values", "[golden][archive]") {
  const auto dataset = octavo::Dataset::open(golden_file("v1-deflate.h5"));
  REQUIRE(dataset.format_version() == 1);
  const auto train = dataset.split("train");
  REQUIRE(train.compression() == octavo::Compression::deflate);
  REQUIRE(train.stored_bytes() < 300);
  std::vector<std::int8_t> codes(300);
  std::vector<std::int32_t> labels(6);
  train.read_checked(0, 6, codes, std::as_writable_bytes(std::span(labels)));
  for (int i = 0; i < 300; ++i) REQUIRE(codes[static_cast<std::size_t>(i)] == 10 * (i / 50) + i % 50 / 25 - 128);
  REQUIRE(labels == std::vector<std::int32_t>{5, 4, 3, 2, 1, 0});
  std::vector<std::int8_t> colors(6);
  dataset.split("val").read_checked(0, 2, colors, {});
  REQUIRE(colors == std::vector<std::int8_t>{-128, -1, 0, 127, -127, 126});
}

TEST_CASE("the golden files of coded rows have the written values", "[golden][archive]") {
  const CodedGolden& golden = GENERATE(kLp8Golden, kLc8Golden, kRoundedGolden);
  const auto dataset = octavo::Dataset::open(golden_file(golden.name));
  REQUIRE(dataset.format_version() == (golden.max_error == 0 ? 1 : 4));
  const auto train = dataset.split("train");
  REQUIRE(train.max_error() == golden.max_error);
  REQUIRE(train.compression() == golden.compression);
  REQUIRE(train.stored_bytes() < train.packed_bytes());
  const std::vector<std::uint8_t> values = coded_samples(golden);
  std::vector<std::int8_t> codes(values.size());
  std::vector<std::int32_t> labels(4);
  train.read_checked(0, 4, codes, std::as_writable_bytes(std::span(labels)));
  for (std::size_t i = 0; i < codes.size(); ++i) REQUIRE(codes[i] + 128 == values[i]);
  REQUIRE(labels == std::vector<std::int32_t>{3, 1, 2, 0});
  std::vector<std::int8_t> colors(6);
  dataset.split("val").read_checked(0, 2, colors, {});
  REQUIRE(colors == std::vector<std::int8_t>{-128, -1, 0, 127, -127, 126});
}

TEST_CASE("the golden file of format version 2 has the written values", "[golden][archive]") {
  const auto dataset = octavo::Dataset::open(golden_file("v2.h5"));
  REQUIRE(dataset.format_version() == 2);
  const auto train = dataset.split("train");
  REQUIRE(train.has_masks());
  REQUIRE_FALSE(dataset.split("val").has_masks());
  std::vector<std::int8_t> codes(18);
  std::vector<std::int32_t> labels(3);
  std::vector<std::uint8_t> masks(18);
  train.read_checked(0, 3, codes, std::as_writable_bytes(std::span(labels)), masks);
  for (int i = 0; i < 18; ++i) {
    REQUIRE(codes[static_cast<std::size_t>(i)] == 10 * (i / 6) + i % 6 - 128);
    REQUIRE(masks[static_cast<std::size_t>(i)] == i / 6 + i % 6);
  }
  REQUIRE(labels == std::vector<std::int32_t>{2, 1, 0});
  REQUIRE(train.statistics().mean == std::vector<double>{12.5});  // of images only
}

TEST_CASE("the golden file of format version 3 has the written columns", "[golden][archive]") {
  const auto dataset = octavo::Dataset::open(golden_file("v3.h5"));
  CHECK(dataset.format_version() == 3);
  const auto train = dataset.split("train");
  CHECK(train.columns() == std::vector<std::string>{"age", "box"});
  CHECK(train.metadata() ==
        "{\"age\":[3,null,12],\"box\":[[0,1],[0,2],\"k\xC3\xA4"
        "fer\"]}");
}

TEST_CASE("the golden files are intact", "[golden][archive]") {
  const auto result = octavo::verify(
      golden_file(GENERATE("v1.h5", "v1-deflate.h5", "v1-lp8.h5", "v1-lc8.h5", "v2.h5", "v3.h5", "v4-lc8.h5")));
  REQUIRE(result.defect_count == 0);
  REQUIRE(result.hdf5_checked);
}

TEST_CASE("the golden files are reproduced byte for byte", "[golden][archive]") {
  if (std::getenv("OCTAVO_UPDATE_GOLDEN") != nullptr) update_golden_files();
  std::ifstream sidecar(golden_file().string() + ".txt");
  std::string hdf5_version;
  std::string octavo_version;
  sidecar >> hdf5_version >> octavo_version;
  if (hdf5_version != linked_hdf5_version() || octavo_version != octavo::kVersion) {
    OCTAVO_SKIP("the golden file was written with HDF5 " + hdf5_version + " by Octavo " + octavo_version);
  }
  const TemporaryFolder folder;
  write_golden(folder / "again.h5");
  REQUIRE(octavo::test::bytes_of_file(folder / "again.h5") == octavo::test::bytes_of_file(golden_file()));
  for (const CodedGolden& golden : {kLp8Golden, kLc8Golden, kRoundedGolden}) {
    write_coded_golden(golden, folder / golden.name);
    REQUIRE(octavo::test::bytes_of_file(folder / golden.name) == octavo::test::bytes_of_file(golden_file(golden.name)));
  }
  write_golden_2(folder / "again2.h5");
  REQUIRE(octavo::test::bytes_of_file(folder / "again2.h5") == octavo::test::bytes_of_file(golden_file("v2.h5")));
  write_golden_3(folder / "again3.h5");
  REQUIRE(octavo::test::bytes_of_file(folder / "again3.h5") == octavo::test::bytes_of_file(golden_file("v3.h5")));
}

TEST_CASE("docs/format.md shows the index of the golden file", "[golden][archive]") {
  std::ifstream document(std::filesystem::path(OCTAVO_SOURCE_DIR) / "docs" / "format.md");
  const std::string text((std::istreambuf_iterator<char>(document)), std::istreambuf_iterator<char>());
  const std::size_t begin = text.find("```json") + 7;
  const std::string shown = text.substr(begin, text.find("```", begin) - begin);
  REQUIRE(octavo::Json::parse(shown).dump() == octavo::test::index_text_of(golden_file()));
}
