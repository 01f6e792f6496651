// Images whose channels are bands, such as multispectral TIFF files, and notes on odd images.
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/export.hpp>
#include <octavo/pack.hpp>
#include <octavo/view.hpp>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "images/made_tiff.hpp"
#include "images/mask_reader.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;
using Values = std::vector<std::uint8_t>;

namespace {

/// A row of pixels of `samples` bytes each.
std::string bands_of(int samples, const std::string& values, int color_model = 1) {
  MadeTiff made = {.width = static_cast<int>(values.size()) / samples,
                   .samples = samples,
                   .color_model = color_model,
                   .blocks = {values}};
  const int extra = samples - (color_model == 2 ? 3 : 1);
  if (extra > 0) made.tags[338] = std::vector<std::uint32_t>(static_cast<std::size_t>(extra));
  return made_tiff(made);
}

/// A 2 x 1 image of two bands, in 16 bits.
std::string deep_bands(const std::vector<int>& values) {
  std::string bytes;
  for (const int value : values) bytes += {static_cast<char>(value), static_cast<char>(value >> 8)};
  return made_tiff({.width = 2, .samples = 2, .bits = 16, .blocks = {bytes}});
}

std::string refusal(const std::filesystem::path& path, const SourceOptions& options = {}) {
  try {
    open(path, options);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "opened";
}

}  // namespace

TEST_CASE("all bands of a TIFF become channels, in the order of the file", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/1.tif", bands_of(4, counting(8)));
  write_file(folder / "a/2.tif", bands_of(4, counting(8, 100)));
  // The background does not make them RGB.
  const auto source = open(folder.path(), {.background = {1, 2, 3}});
  CHECK(source->splits()[0].shape == SampleShape{4, 1, 2});
  CHECK(source->splits()[0].color == Color::other);
  CHECK(read_all(*source).values == Values{0, 4, 1, 5, 2, 6, 3, 7, 100, 104, 101, 105, 102, 106, 103, 107});
  CHECK(source->notes().remarks.empty());
  pack(*source, folder / "a.h5");
  const Dataset dataset = Dataset::open(folder / "a.h5");
  CHECK(dataset.split("train").shape() == SampleShape{4, 1, 2});
  write_contact_sheet(dataset, folder / "a.png");
  CHECK_THROWS_WITH(export_dataset(dataset, folder / "png"), ContainsSubstring("export as npy"));
}

TEST_CASE("deep bands are quantized with a range for each", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/1.tif", deep_bands({0, 10'000, 510, 11'020}));
  write_file(folder / "a/2.tif", deep_bands({100, 10'500, 7, 10'002}));
  const auto source = open(folder.path());
  const SourceSplit& split = source->splits()[0];
  CHECK(split.color == Color::other);
  CHECK(split.source_dtype == "uint16");
  // From 0 to 510, and from 10,000 to 11,020.
  CHECK(split.quantization == std::vector<ChannelQuantization>{{2.0, 0.0}, {4.0, 10'000.0}});
  // 7 / 2 = 3.5, to even; 500 / 4 = 125; 2 / 4 = 0.5, to even.
  CHECK(read_all(*source).values == Values{0, 255, 0, 255, 50, 4, 125, 0});
  const auto given = open(folder.path(), {.range = {.kind = ValueRange::Kind::given, .low = 0.0, .high = 25'500.0}});
  CHECK(given->splits()[0].quantization == std::vector<ChannelQuantization>(2, {100.0, 0.0}));
}

TEST_CASE("all bands are resized, with a gray margin", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/1.tif", bands_of(2, std::string("\x0A\x14\x1E\x28", 4)));
  const SourceOptions options = {.size = {{2, 1}}, .fit = Fit::pad, .background = {7, 7, 7}};
  // 2 x 1 pixels become one, (10 + 30) / 2 and (20 + 40) / 2, with a margin in the second row.
  CHECK(read_all(*open(folder.path(), options)).values == Values{20, 7, 30, 7});
  CHECK_THAT(refusal(folder.path(), {.size = {{2, 1}}, .fit = Fit::pad, .background = {7, 7, 8}}),
             ContainsSubstring("has 2 bands") && ContainsSubstring("choose a gray `background`"));
}

TEST_CASE("images of different bands are not packed together", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "train/a/1.tif", bands_of(4, counting(8)));
  write_file(folder / "test/a/2.tif", bands_of(5, counting(10)));
  CHECK_THAT(refusal(folder.path()), ContainsSubstring("1.tif\" has 4 bands") &&
                                         ContainsSubstring("2.tif\" has 5 bands; pack images with the same bands"));
  write_file(folder / "test/a/2.tif", bands_of(3, counting(6), 2));
  CHECK_THAT(refusal(folder.path()), ContainsSubstring("1.tif\" has 4 bands") && ContainsSubstring("2.tif\" is RGB"));
  write_file(folder / "test/a/2.tif", bands_of(1, counting(2)));
  CHECK_THAT(refusal(folder.path()), ContainsSubstring("2.tif\" is gray"));
  std::filesystem::remove_all(folder / "test");
  for (const std::int64_t channels : {1, 3}) {
    CHECK_THAT(refusal(folder.path(), {.channels = channels}),
               ContainsSubstring("1.tif\" has 4 bands") && ContainsSubstring("omit `channels`"));
  }
}

TEST_CASE("three bands are RGB only if the user asks for three channels", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/1.tif", bands_of(3, counting(6)));
  CHECK(open(folder.path())->splits()[0].shape.channels == 3);
  CHECK(open(folder.path())->splits()[0].color == Color::other);
  CHECK_THAT(refusal(folder.path(), {.channels = 1}), ContainsSubstring("omit `channels`"));
  write_file(folder / "a/2.tif", bands_of(3, counting(6), 2));
  CHECK_THAT(refusal(folder.path()), ContainsSubstring("is RGB"));
  const auto source = open(folder.path(), {.channels = 3});
  CHECK(source->splits()[0].color == Color::rgb);
  CHECK(read_all(*source).values == Values{0, 3, 1, 4, 2, 5, 0, 3, 1, 4, 2, 5});
}

TEST_CASE("an image whose bands change after its header was read is a bad sample", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/1.tif", bands_of(4, counting(8)));
  const auto source = open(folder.path());
  write_file(folder / "a/1.tif", bands_of(1, counting(2)));
  CHECK_THAT(read_all(*source).failures.at(0).reason, ContainsSubstring("it has 1 channels, the samples have 4"));
  write_file(folder / "a/1.tif", bands_of(2, counting(4)));
  CHECK_THAT(read_all(*source).failures.at(0).reason, ContainsSubstring("it has 2 bands, the samples have 4"));
}

TEST_CASE("odd images are counted, and the first in order is named, whatever thread reads it", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::string page = bands_of(1, counting(2));
  for (const char* name : {"a/2", "a/3", "b/1"})
    write_file(folder / (std::string(name) + ".tif"), with_directory(page, 0));
  write_file(folder / "a/1.tif", page);
  write_file(folder / "b/9.pgm", "P5 2 1 255 # comment\nab");
  PackOptions options;
  options.thread_count = GENERATE(1, 4);
  const PackSummary summary = pack(*open(folder.path()), folder / "a.h5", options);
  REQUIRE(summary.notes.size() == 2);
  CHECK_THAT(summary.notes[0],
             Catch::Matchers::StartsWith("3 images have several pages; the first is packed; the first is ") &&
                 ContainsSubstring("a/2.tif\""));
  CHECK_THAT(summary.notes[1], Catch::Matchers::StartsWith("1 image has a comment") && ContainsSubstring(": ") &&
                                   ContainsSubstring("b/9.pgm\""));
  CHECK_THAT(Dataset::open(folder / "a.h5").provenance(), ContainsSubstring("several pages"));
}

TEST_CASE("an image that is decoded at a reduced size is noted too", "[unit][pack]") {
  const TemporaryFolder folder;
  std::string file = made_jpeg(two_halves(50, 200));
  file[file.find("\xFF\xDA") + 8] = 0;
  write_file(folder / "a/1.jpg", file);
  const auto source = open(folder.path(), {.size = {{1, 2}}});
  CHECK(read_all(*source).failures.empty());
  CHECK_THAT(source->notes().remarks.at(0), ContainsSubstring("invalid JPEG scan header"));
}

TEST_CASE("a mask is turned like its image, and has no bands", "[unit][pack]") {
  const auto decode = [](const std::string& file) {
    return images::decode_mask(bytes_of(file), images::checked_header(bytes_of(file), {}));
  };
  MadeTiff made = {.width = 3, .height = 2, .tags = {{274, {6}}}, .blocks = {counting(6, 1)}};
  // A quarter turn clockwise: the first row is the first column from below.
  CHECK(decode(made_tiff(made)).width == 2);
  CHECK(decode(made_tiff(made)).values == Values{4, 1, 5, 2, 6, 3});
  const std::string png = made_png({.width = 3, .height = 2, .rows = {1, 2, 3, 4, 5, 6}});
  CHECK(decode(with_png_chunk(png, "eXIf", exif_block(6).substr(6))).values == Values{4, 1, 5, 2, 6, 3});
  CHECK_THROWS_WITH(decode(bands_of(2, counting(4))), ContainsSubstring("2 bands"));
}
