// Exports as NumPy arrays.
#include "exporting/npy_export.hpp"

#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "exported_file.hpp"
#include "packed_fixture.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("a .npy header is the same as NumPy's", "[unit][export]") {
  // Magic and version take 8 bytes and the header length 2. With blanks and the newline, the total is 128.
  const std::string header = exporting::npy_header("|u1", {2, 3, 4, 5});
  const std::string dictionary = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4, 5), }";
  REQUIRE(header.size() == 128);
  CHECK(header.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  CHECK(header.substr(10, dictionary.size()) == dictionary);
  CHECK(header.substr(10 + dictionary.size()) == std::string(117 - dictionary.size(), ' ') + "\n");
  CHECK_THAT(exporting::npy_header("<i4", {7}), ContainsSubstring("'shape': (7,), }"));
}

TEST_CASE("exported arrays hold the packed values and labels", "[unit][export]") {
  const TemporaryFolder folder;
  const auto labels = bytes_of(std::vector<float>{0.5f, -1.0f, 2.0f, 3.0f});
  write_file(folder / "a.h5", {{"train", 2, {2, 1, 3}, {LabelKind::target, 2}, labels}});
  export_dataset(Dataset::open(folder / "a.h5"), folder / "out", {.format = ExportFormat::npy});

  const std::string images = text_of(folder / "out" / "train-images.npy");
  REQUIRE(images.size() == 128 + 12);
  for (std::size_t i = 0; i < 12; ++i) CHECK(static_cast<std::uint8_t>(images[128 + i]) == made_value(i));
  const std::string stored_labels = text_of(folder / "out" / "train-labels.npy");
  CHECK_THAT(stored_labels, ContainsSubstring("'<f4'") && ContainsSubstring("(2, 2)"));
  REQUIRE(stored_labels.size() == 128 + 16);
  CHECK(std::equal(labels.begin(), labels.end(), std::as_bytes(std::span(stored_labels)).begin() + 128));
}

TEST_CASE("a split without labels has no array of labels", "[unit][export]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5", {{"train", 2, {1, 2, 2}, {}, {}}});
  export_dataset(Dataset::open(folder / "a.h5"), folder / "out", {.format = ExportFormat::npy});
  CHECK(std::filesystem::exists(folder / "out" / "train-images.npy"));
  CHECK_FALSE(std::filesystem::exists(folder / "out" / "train-labels.npy"));
}

TEST_CASE("masks are an array of their own", "[unit][export]") {
  const TemporaryFolder folder;
  const PlainSplit split = masked_split("train", 5, {3, 4, 7});
  write_packed(folder / "a.h5", {split});
  export_dataset(Dataset::open(folder / "a.h5"), folder / "out", {.format = ExportFormat::npy});
  const std::string masks = text_of(folder / "out" / "train-masks.npy");
  CHECK_THAT(masks, ContainsSubstring("'|u1'") && ContainsSubstring("(5, 4, 7)"));
  REQUIRE(masks.size() == 128 + split.masks.size());
  CHECK(std::equal(split.masks.begin(), split.masks.end(), masks.begin() + 128,
                   [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); }));
}
