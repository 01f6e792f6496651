#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>
#include <octavo/reindex.hpp>
#include <octavo/spooled_source.hpp>
#include <octavo/verify.hpp>
#include <octavo/writer.hpp>
#include <optional>

#include "catch.hpp"
#include "forge.hpp"
#include "small_file.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

constexpr std::int64_t kRows = 20, kPixels = 20;

SplitLayout masked_split(const std::string& name = "train") {
  SplitLayout split = small_split(name, kRows);
  split.has_masks = true;
  return split;
}

/// The mask of a row: row + 3 * pixel.
std::vector<std::uint8_t> masks_of(std::int64_t first, std::int64_t count) {
  std::vector<std::uint8_t> masks;
  for (std::int64_t row = first; row < first + count; ++row) {
    for (std::int64_t p = 0; p < kPixels; ++p) masks.push_back(static_cast<std::uint8_t>(row + 3 * p));
  }
  return masks;
}

/// Writes rows in pieces, from the last to the first; skips `skipped`.
void write_masked_file(const std::filesystem::path& path, Compression compression,
                       std::optional<std::int64_t> skipped = {}) {
  WriterOptions options = small_options();
  options.splits = {masked_split()};
  options.compression = compression;
  options.rows_may_be_skipped = skipped.has_value();
  Writer writer(path, options);
  for (std::int64_t row = kRows - 1; row >= 0; --row) {
    if (row == skipped) {
      writer.skip(0, row);
      continue;
    }
    auto values = values_of(options.splits[0].shape, row, 1);
    const auto labels = classes_of(row, 1);
    writer.write(0, row, values, std::as_bytes(std::span(labels)), {}, masks_of(row, 1));
  }
  writer.finish("{}");
}

std::vector<std::uint8_t> stored_masks(const Split& split) {
  std::vector<std::uint8_t> masks(static_cast<std::size_t>(split.sample_count() * kPixels));
  split.read_masks(0, split.sample_count(), masks);
  return masks;
}

}  // namespace

TEST_CASE("masks are stored with their samples", "[unit][archive]") {
  const TemporaryFolder folder;
  const auto compression = GENERATE(Compression::none, Compression::deflate);
  write_masked_file(folder / "a.h5", compression);
  const Dataset dataset = Dataset::open(folder / "a.h5");
  REQUIRE(dataset.format_version() == 2);
  REQUIRE(stored_masks(dataset.split("train")) == masks_of(0, kRows));
  const VerifyResult result = verify(folder / "a.h5");
  REQUIRE(result.defect_count == 0);
  REQUIRE(result.hdf5_checked);
}

TEST_CASE("the mask of a skipped sample is skipped too", "[unit][archive]") {
  const TemporaryFolder folder;
  write_masked_file(folder / "a.h5", GENERATE(Compression::none, Compression::deflate), 3);
  const auto masks = stored_masks(Dataset::open(folder / "a.h5").split("train"));
  std::vector<std::uint8_t> expected = masks_of(0, 3);
  const auto rest = masks_of(4, kRows - 4);
  expected.insert(expected.end(), rest.begin(), rest.end());
  REQUIRE(masks == expected);
  REQUIRE(verify(folder / "a.h5").defect_count == 0);
}

TEST_CASE("masks of another size are refused", "[unit][archive]") {
  const TemporaryFolder folder;
  WriterOptions options = small_options();
  options.splits = {masked_split(), small_split("val", 1)};
  Writer writer(folder / "a.h5", options);
  auto values = values_of(options.splits[0].shape, 0, 1);
  const auto labels = classes_of(0, 1);
  const auto bytes = std::as_bytes(std::span(labels));
  REQUIRE_THROWS_WITH(writer.write(0, 0, values, bytes),
                      ContainsSubstring("masks of 0 values for 1 samples; expected 20 each"));
  REQUIRE_THROWS_WITH(writer.write(0, 0, values, bytes, {}, masks_of(0, 2)), ContainsSubstring("masks of 40 values"));
  REQUIRE_THROWS_WITH(writer.write(1, 0, values, bytes, {}, masks_of(0, 1)), ContainsSubstring("expected 0 each"));
}

TEST_CASE("a checksum covers the mask even if it is not requested", "[unit][archive]") {
  const TemporaryFolder folder;
  write_masked_file(folder / "a.h5", Compression::none);
  auto bytes = bytes_of_file(folder / "a.h5");
  const auto mask = masks_of(7, 1);
  const auto* const wanted = reinterpret_cast<const std::byte*>(mask.data());
  const auto place = std::search(bytes.begin(), bytes.end(), wanted, wanted + kPixels);
  REQUIRE(place != bytes.end());
  place[5] ^= std::byte{1};
  write_bytes(folder / "a.h5", bytes);
  const Split split = Dataset::open(folder / "a.h5").split("train");
  std::vector<std::int8_t> codes(static_cast<std::size_t>(split.packed_bytes()));
  std::vector<std::byte> labels(4 * kRows);
  REQUIRE_THROWS_WITH(split.read_checked(0, kRows, codes, labels), ContainsSubstring("sample 7 is damaged"));
  REQUIRE(verify(folder / "a.h5").defect_count == 1);
}

TEST_CASE("masks survive packing again and appending and reindexing", "[unit][archive]") {
  const TemporaryFolder folder;
  write_masked_file(folder / "a.h5", Compression::none);
  pack(*open_source({{folder / "a.h5"}}, {}), folder / "b.h5", {.compression = Compression::deflate});
  append(*open_source({{.path = folder / "a.h5", .split = "more"}}, {}), folder / "b.h5");
  reindex(folder / "b.h5", folder / "c.h5");
  for (const char* const name : {"train", "more"}) {
    REQUIRE(stored_masks(Dataset::open(folder / "c.h5").split(name)) == masks_of(0, kRows));
  }
  SourceOptions without;
  without.with_masks = false;
  pack(*open_source({{folder / "a.h5"}}, without), folder / "d.h5");
  REQUIRE(Dataset::open(folder / "d.h5").format_version() == 1);
}

TEST_CASE("masks are resized and chosen like their images", "[unit][archive]") {
  const TemporaryFolder folder;
  write_masked_file(folder / "a.h5", Compression::none);
  SourceOptions options;
  options.size = {{2, 2}};
  options.fit = Fit::stretch;
  options.limit = 3;
  const auto source = open_source({{folder / "a.h5"}}, options);
  std::vector<std::uint8_t> masks(3 * 4);
  REQUIRE(source->read_masks(0, 0, 3, masks).empty());
  // Of 4 x 5 pixels, the ones under the centers: rows 1 and 3, columns 1 and 3.
  for (std::size_t row = 0; row < 3; ++row) {
    const auto mask = masks_of(static_cast<std::int64_t>(row), 1);
    const std::vector<std::uint8_t> expected = {mask[6], mask[8], mask[16], mask[18]};
    REQUIRE(std::equal(expected.begin(), expected.end(), masks.begin() + static_cast<std::ptrdiff_t>(4 * row)));
  }
  options.size = {{4, 7}};
  options.fit = Fit::pad;
  const auto padded = open_source({{folder / "a.h5"}}, options);
  std::vector<std::uint8_t> wide(3 * 28);
  padded->read_masks(0, 0, 3, wide);
  REQUIRE(wide[0] == 255);
  REQUIRE(wide[1] == 0);
  REQUIRE(wide[6] == 255);
}

TEST_CASE("splits with and without masks are not merged", "[unit][archive]") {
  const TemporaryFolder folder;
  write_masked_file(folder / "a.h5", Compression::none);
  write_small_file(folder / "b.h5");
  REQUIRE_THROWS_WITH(open_source({{folder / "a.h5"}, {folder / "b.h5"}}, {}),
                      ContainsSubstring("has no masks, earlier sources have them"));
}

TEST_CASE("an index of version 1 has no masks", "[unit][archive]") {
  const TemporaryFolder folder;
  write_masked_file(folder / "a.h5", Compression::none);
  std::string text = index_text_of(folder / "a.h5");
  const std::string version = "\"format_version\":2";
  text.replace(text.find(version), version.size(), "\"format_version\":1");
  REQUIRE_FALSE(dataset_file::decode_index(text).splits[0].masks);
  text.replace(text.find("\"format_version\":1"), version.size(), "\"format_version\":5");
  REQUIRE_THROWS_WITH(dataset_file::decode_index(text), ContainsSubstring("format_version is unknown"));
}
