// Damages a small file in every way of one kind, and requires that none of it goes unseen.
#include <unistd.h>

#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/verify.hpp>

#include "catch.hpp"
#include "small_file.hpp"
#include "support/file.hpp"
#include "temporary_folder.hpp"

using octavo::test::TemporaryFolder;

namespace {

/// Whether opening or verifying tells that something is wrong.
bool is_noticed(const std::filesystem::path& path) {
  try {
    octavo::Dataset::open(path);
  } catch (const octavo::FormatError&) {
    return true;
  }
  return octavo::verify(path, {.thread_count = 1, .with_hdf5 = false}).defect_count > 0;
}

/// A file with everything that the format has, as small as that can be. Deflated, one split shrinks and one does not.
void write_file(const std::filesystem::path& path, octavo::Compression compression) {
  octavo::WriterOptions options = octavo::test::small_options(5);
  options.compression = compression;
  options.splits[0].shape = {1, 2, 2};
  options.splits[0].with_names = true;
  if (compression == octavo::Compression::deflate) {
    options.splits.push_back({.name = "equal", .shape = {1, 1, 10}, .labels = {}, .row_capacity = 3});
  }
  octavo::Writer writer(path, options);
  auto values = octavo::test::values_of(options.splits[0].shape, 0, 5);
  const auto labels = octavo::test::classes_of(0, 5);
  const std::vector<std::string> names = {"a", "", "ccc", "d", "e"};
  writer.write(0, 0, values, std::as_bytes(std::span(labels)), names);
  if (compression == octavo::Compression::deflate) {
    std::vector<std::uint8_t> equal(30, 7);
    writer.write(1, 0, equal, {});
  }
  writer.finish("{\"command\":\"test\"}");
}

}  // namespace

TEST_CASE("every flip of a single bit of a file is noticed", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5", GENERATE(octavo::Compression::none, octavo::Compression::deflate));
  const auto bytes = octavo::test::bytes_of_file(folder / "a.h5");
  REQUIRE(bytes.size() < 24 * 1024);
  REQUIRE_FALSE(is_noticed(folder / "a.h5"));
  const octavo::File file = octavo::File::open_for_writing(folder / "a.h5");
  std::vector<std::string> missed;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      const std::byte flipped = bytes[at] ^ static_cast<std::byte>(1 << bit);
      file.write_at(static_cast<std::int64_t>(at), std::span(&flipped, 1));
      if (!is_noticed(folder / "a.h5")) missed.push_back(std::to_string(at) + "." + std::to_string(bit));
    }
    file.write_at(static_cast<std::int64_t>(at), std::span(&bytes[at], 1));
  }
  REQUIRE(missed == std::vector<std::string>{});
  REQUIRE_FALSE(is_noticed(folder / "a.h5"));
}

TEST_CASE("a file cut at any length is refused", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5", GENERATE(octavo::Compression::none, octavo::Compression::deflate));
  const auto length = static_cast<off_t>(std::filesystem::file_size(folder / "a.h5"));
  std::vector<off_t> opened;
  for (off_t cut = length - 1; cut >= 0; --cut) {
    REQUIRE(::truncate((folder / "a.h5").c_str(), cut) == 0);
    try {
      octavo::Dataset::open(folder / "a.h5");
      opened.push_back(cut);
    } catch (const octavo::FormatError&) {
      continue;
    }
  }
  REQUIRE(opened == std::vector<off_t>{});
}

TEST_CASE("a page of zeros or of an older file is noticed", "[unit][archive]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5", GENERATE(octavo::Compression::none, octavo::Compression::deflate));
  octavo::test::write_small_file(folder / "old.h5");
  const auto bytes = octavo::test::bytes_of_file(folder / "a.h5");
  const auto old = octavo::test::bytes_of_file(folder / "old.h5");
  for (std::size_t at = 0; at + 512 <= bytes.size(); at += 512) {
    for (const auto& source : {std::vector<std::byte>(bytes.size()), old}) {
      auto damaged = bytes;
      for (std::size_t i = at; i < at + 512 && i < source.size(); ++i) damaged[i] = source[i];
      if (damaged == bytes) continue;
      octavo::test::write_bytes(folder / "a.h5", damaged);
      INFO("at byte " << at);
      REQUIRE(is_noticed(folder / "a.h5"));
    }
  }
}
