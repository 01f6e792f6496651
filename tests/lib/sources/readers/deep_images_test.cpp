// Images of more than 8 bits.
#include <cmath>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "images/made_tiff.hpp"
#include "report/certificate.hpp"
#include "report/origin.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;
using Values = std::vector<std::uint8_t>;

namespace {

/// A gray 16-bit PNG of one row.
std::string deep_png(const std::vector<int>& values) {
  MadePng made = {.width = static_cast<int>(values.size()), .depth = 16};
  for (const int value : values) {
    made.rows.push_back(static_cast<std::uint8_t>(value >> 8));
    made.rows.push_back(static_cast<std::uint8_t>(value & 255));
  }
  return made_png(made);
}

/// A 2 x 1 TIFF of these bytes.
std::string tiff_of(int bits, int sample_format, const std::string& bytes) {
  MadeTiff made = {.width = 2, .bits = bits, .blocks = {bytes}};
  made.tags[339] = {static_cast<std::uint32_t>(sample_format)};
  return made_tiff(made);
}

template <typename Number>
std::string bytes_of_two(Number first, Number second) {
  const Number numbers[] = {first, second};
  return {reinterpret_cast<const char*>(numbers), sizeof numbers};
}

QuantizationCertificate certificate_of(const std::filesystem::path& path, const std::string& split = "train") {
  const Dataset dataset = Dataset::open(path);
  return report::certify(dataset.split(split), report::origin_of(dataset, split));
}

}  // namespace

TEST_CASE("12-bit values in 16-bit images cover all 256 values", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/1.png", deep_png({0, 1000, 2040}));
  write_file(folder / "a/2.png", deep_png({4080, 8, 16}));
  const auto source = open(folder.path());
  const SourceSplit& split = source->splits()[0];
  CHECK(split.source_dtype == "uint16");
  // From 0 to 4080: a step is 16.
  CHECK(split.quantization == std::vector<ChannelQuantization>{{16.0, 0.0}});
  // 1000 / 16 = 62.5, to even; 2040 / 16 = 127.5, to even; 8 / 16 = 0.5, to even.
  CHECK(read_all(*source, 0).values == Values{0, 62, 128, 255, 0, 1});
  const QuantizationNotes notes = source->notes().quantized.at(0);
  CHECK(notes.from == "uint16");
  CHECK(notes.samples == 2);
  CHECK(notes.channels.at(0).largest_error == 8.0);
  // 0, 8, 16, 1000, 2040, 4080 became 0, 1, 62, 128, 255.
  CHECK(notes.levels.value().before == 6);
  CHECK(notes.levels.value().after == 5);
}

TEST_CASE("the loss of 16-bit images is noted and never called lossless", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/1.png", deep_png({0, 1000, 2040}));
  write_file(folder / "a/2.png", deep_png({4080, 8, 16}));
  const PackSummary summary = pack(*open(folder.path()), folder / "a.h5");
  REQUIRE(summary.notes.size() == 1);
  // In steps of 16: 0, 0.5, 1, 62.5, 127.5, 255 with the levels 0, 0, 1, 62, 128, 255. Without 0.006 of the
  // level 0 and of 255: variance 8,648; mean square error 0.125.
  CHECK(
      summary.notes[0] ==
      "train: uint16 values from 0 to 4080 became 8-bit (6 different values; 5 of 256 levels used, 8.0 effective bits, "
      "error 0.38 % of the standard deviation, largest error 8)");
  const auto certificate = certificate_of(folder / "a.h5");
  CHECK_FALSE(certificate.lossless);
  CHECK(certificate.largest_error == std::vector<double>{8.0});
}

TEST_CASE("8-bit values written as 16 bits are packed exactly", "[unit][pack]") {
  const int factor = GENERATE(257, 256, 1);
  const TemporaryFolder folder;
  write_file(folder / "a/1.png", deep_png({3 * factor, 200 * factor}));
  write_file(folder / "a/2.png", deep_png({0, 250 * factor}));
  const auto source = open(folder.path());
  CHECK(read_all(*source, 0).values == Values{3, 200, 0, 250});
  CHECK(source->splits()[0].quantization == std::vector<ChannelQuantization>{{1.0 * factor, 0.0}});
  CHECK(packing_notes(*source).empty());
}

TEST_CASE("images of 8 and 16 bits are scaled to their own white", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/1.png", deep_png({257, 65535}));
  write_file(folder / "a/2.png", made_png({.width = 2, .rows = {7, 200}}));
  write_file(folder / "a/3.pgm", "P5 2 1 1023 " + std::string("\x01\x00\x03\xFF", 4));  // 256 of 1023: 63.8
  const auto source = open(folder.path());
  CHECK(source->splits()[0].source_dtype == "uint8");
  CHECK(source->splits()[0].quantization.empty());
  CHECK(read_all(*source, 0).values == Values{1, 255, 7, 200, 64, 255});
  CHECK_THAT(packing_notes(*source).at(0), ContainsSubstring("train: in 2 samples, uint16 values"));
  pack(*open(folder.path()), folder / "a.h5");
  CHECK_FALSE(certificate_of(folder / "a.h5").lossless);
}

TEST_CASE("a holdout of images of 8 and 16 bits is never called lossless", "[unit][pack]") {
  const TemporaryFolder folder;
  for (int i = 0; i < 4; ++i) {
    write_file(folder / "a" / (std::to_string(i) + ".png"), deep_png({100 + i, 65535}));
    write_file(folder / "b" / (std::to_string(i) + ".png"), made_png({.width = 2, .rows = {7, 200}}));
  }
  // Two of the four images of each class.
  const PackSummary summary = pack(*open(folder.path(), {.holdout = 0.5}), folder / "a.h5");
  CHECK_FALSE(certificate_of(folder / "a.h5", "train").lossless);
  CHECK_FALSE(certificate_of(folder / "a.h5", "val").lossless);
  REQUIRE(summary.notes.size() == 1);
  CHECK_THAT(summary.notes[0], ContainsSubstring("train, val: in 4 samples, uint16 values"));
}

TEST_CASE("a split of only 8-bit images has no loss, whatever the other splits have", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "train/a/1.png", made_png({.width = 2, .rows = {7, 200}}));
  write_file(folder / "test/a/1.png", deep_png({100, 65535}));
  pack(*open(folder.path()), folder / "a.h5");
  const std::string provenance = Dataset::open(folder / "a.h5").provenance();
  CHECK_THAT(provenance, ContainsSubstring("quantized test") && !ContainsSubstring("quantized train"));
  CHECK_FALSE(certificate_of(folder / "a.h5", "test").lossless);
}

TEST_CASE("the loss of images with several maxima is counted in the scale of each", "[unit][pack]") {
  const TemporaryFolder folder;
  std::string ramp = "P2 400 1 1023";
  for (int i = 0; i < 400; ++i) ramp += " " + std::to_string(i);
  const int pair = GENERATE(1, 0);
  write_file(folder / "a/1.pgm", pair ? "P2 2 1 1023 2 1023" : ramp);
  write_file(folder / "a/2.png", pair ? deep_png({0, 65535}) : deep_png(std::vector<int>(400)));
  const auto source = open(folder.path());
  read_all(*source);
  const QuantizationNotes notes = source->notes().quantized.at(0);
  // A range is refused for such images, so nothing may suggest one.
  CHECK_FALSE(notes.levels);
  CHECK_THAT(packing_notes(*source).at(0), !ContainsSubstring("range"));
  if (pair == 0) return;
  // 2 of 1023 becomes 0; the other three numbers are exact.
  CHECK(notes.channels.at(0).largest_error == 2.0);
  CHECK(std::abs(notes.channels.at(0).mean_rounding - 0.5) < 1e-5);
  CHECK(notes.channels.at(0).high == 65535.0);
}

TEST_CASE("the images of all lists are quantized the same way", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "1.png", deep_png({0, 2040}));
  write_file(folder / "2.png", deep_png({16, 4080}));
  write_file(folder / "3.png", made_png({.width = 2, .rows = {7, 200}}));
  const auto open_lists = [&](const std::string& train, const std::string& val) {
    write_file(folder / "train.csv", "path,label\n" + train + ".png,a\n");
    write_file(folder / "val.csv", "path,label\n" + val + ".png,a\n");
    return open_source({{folder / "train.csv", "train"}, {folder / "val.csv", "val"}}, {});
  };
  SECTION("with one range") {
    const auto source = open_lists("1", "2");
    CHECK(source->splits()[0].quantization == std::vector<ChannelQuantization>{{16.0, 0.0}});
    CHECK(source->splits()[1].quantization == source->splits()[0].quantization);
    CHECK(read_all(*source, 0).values == Values{0, 128});  // 127.5, to even
    CHECK(read_all(*source, 1).values == Values{1, 255});
  }
  SECTION("or each to its own white, next to images of 8 bits") {
    const auto source = open_lists("2", "3");
    CHECK(source->splits()[0].quantization.empty());
    CHECK(read_all(*source, 0).values == Values{0, 16});  // 4080 / 257 = 15.9
    CHECK(read_all(*source, 1).values == Values{7, 200});
    CHECK_THROWS_WITH(open_source({{folder / "train.csv", "train"}, {folder / "val.csv", "val"}},
                                  {.range = {.kind = ValueRange::Kind::measured}}),
                      ContainsSubstring("2.png") && ContainsSubstring("3.png") && ContainsSubstring("`range`"));
  }
}

TEST_CASE("the losses of all sources of a split are noted", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "1.png", deep_png({0, 1000}));  // 62.5 steps of 16: an error of 8
  write_file(folder / "2.png", deep_png({0, 4080}));  // exact
  write_file(folder / "a.csv", "path,label\n1.png,a\n");
  write_file(folder / "b.csv", "path,label\n2.png,a\n");
  const auto source = open_source({{folder / "a.csv", "train"}, {folder / "b.csv", "train"}}, {});
  read_all(*source);
  const auto quantized = source->notes().quantized;
  REQUIRE(quantized.size() == 1);
  CHECK(quantized[0].samples == 2);
  CHECK(quantized[0].channels.at(0).largest_error == 8.0);
  CHECK(quantized[0].channels.at(0).mean_rounding == 2.0);  // 0, 8, 0, 0
  CHECK(quantized[0].psnr_db.has_value());
}

TEST_CASE("a range applies to images of every format with more than 8 bits", "[unit][pack]") {
  const SourceOptions given = {.range = {.kind = ValueRange::Kind::given, .low = 0.0, .high = 510.0}};
  const TemporaryFolder folder;
  SECTION("PNG") { write_file(folder / "a/1.png", deep_png({100, 600})); }
  SECTION("PNM") { write_file(folder / "a/1.pgm", "P2 2 1 1000 100 600"); }
  SECTION("TIFF of 16 bits") { write_file(folder / "a/1.tif", tiff_of(16, 1, bytes_of_two<std::uint16_t>(100, 600))); }
  SECTION("TIFF of signed numbers") {
    write_file(folder / "a/1.tif", tiff_of(16, 2, bytes_of_two<std::int16_t>(100, 600)));
  }
  SECTION("TIFF of floats") { write_file(folder / "a/1.tif", tiff_of(32, 3, bytes_of_two(100.0F, 600.0F))); }
  const auto source = open(folder.path(), given);
  CHECK(read_all(*source, 0).values == Values{50, 255});
  CHECK(source->notes().quantized.at(0).channels.at(0).clipped == 1);
  CHECK_THAT(packing_notes(*source).at(0), ContainsSubstring("; 1 value outside 0 to 510 was clipped"));
}

TEST_CASE("float images are measured and may not hold NaN", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/1.tif", tiff_of(32, 3, bytes_of_two(0.0F, 1.0F)));
  write_file(folder / "a/2.tif", tiff_of(32, 3, bytes_of_two(0.2F, 0.6F)));
  const auto source = open(folder.path());
  CHECK(source->splits()[0].source_dtype == "float32");
  CHECK(read_all(*source, 0).values == Values{0, 255, 51, 153});
  write_file(folder / "a/3.tif", tiff_of(32, 3, bytes_of_two(NAN, 0.6F)));
  const auto damaged = open(folder.path());
  Values values(2);
  const auto failures = damaged->read(0, 2, 1, values, {});
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].reason == "it contains NaN or infinity");
}

TEST_CASE("the colors of 16-bit RGB have one range unless each channel is measured", "[unit][pack]") {
  const TemporaryFolder folder;
  // One pixel: 0, 510, 5100.
  write_file(folder / "a/1.png",
             made_png({.color_type = PNG_COLOR_TYPE_RGB, .depth = 16, .rows = {0x00, 0x00, 0x01, 0xFE, 0x13, 0xEC}}));
  write_file(folder / "a/2.png", deep_png({1020}));  // gray
  const auto together = open(folder.path());
  CHECK(together->splits()[0].quantization == std::vector<ChannelQuantization>(3, {20.0, 0.0}));
  CHECK(read_all(*together, 0).values == Values{0, 26, 255, 51, 51, 51});  // 510 / 20 = 25.5, to even
  const auto each = open(folder.path(), {.range = {.kind = ValueRange::Kind::measured}});
  CHECK(each->splits()[0].quantization == std::vector<ChannelQuantization>{{4.0, 0.0}, {2.0, 510.0}, {16.0, 1020.0}});
  CHECK(read_all(*each, 0).values == Values{0, 0, 255, 255, 255, 0});
}

TEST_CASE("a range that cannot apply is refused", "[unit][pack]") {
  const SourceOptions measured = {.range = {.kind = ValueRange::Kind::measured}};
  const TemporaryFolder folder;
  write_file(folder / "a/1.png", made_png({.width = 2, .rows = {7, 200}}));
  CHECK_THROWS_WITH(open(folder.path(), measured), ContainsSubstring("at most 8 bits"));
  write_file(folder / "a/2.png", deep_png({1, 2}));
  CHECK_THROWS_WITH(open(folder.path(), measured),
                    ContainsSubstring("2.png") && ContainsSubstring("1.png") && ContainsSubstring("another type"));
  write_file(folder / "a/3.tif", tiff_of(32, 3, bytes_of_two(0.0F, 1.0F)));
  for (const SourceOptions& options : {SourceOptions(), measured}) {
    CHECK_THROWS_WITH(open(folder.path(), options), ContainsSubstring("3.tif") && ContainsSubstring("float") &&
                                                        ContainsSubstring("; convert all images to one type"));
  }
}

TEST_CASE("a range is not the remedy for the loss of images of several types", "[unit][pack]") {
  const TemporaryFolder folder;
  std::vector<int> dark;
  for (int i = 0; i < 2000; ++i) dark.push_back(i);  // 2000 / 257: 8 levels
  write_file(folder / "a/1.png", deep_png(dark));
  write_file(folder / "a/2.png", made_png({.width = 2000, .rows = std::vector<std::uint8_t>(2000, 7)}));
  CHECK_THROWS_WITH(pack(*open(folder.path()), folder / "a.h5"),
                    ContainsSubstring("`range` does not apply to images of several types, so convert all to one type, "
                                      "or accept the loss with `allow_loss`"));
  CHECK_THROWS_WITH(open(folder.path(), {.range = {.kind = ValueRange::Kind::measured}}),
                    ContainsSubstring("convert all images to one type, or omit `range`"));
}

TEST_CASE("an image whose values cannot be measured is named or skipped", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/1.png", deep_png({0, 510}));
  std::string cut = deep_png({5, 9});
  cut.resize(cut.size() - 20);
  write_file(folder / "a/2.png", cut);
  CHECK_THROWS_WITH(open(folder.path()), ContainsSubstring("2.png"));
  const auto source = open(folder.path(), {.skip_unreadable = true});
  CHECK(source->splits()[0].quantization == std::vector<ChannelQuantization>{{2.0, 0.0}});
}
