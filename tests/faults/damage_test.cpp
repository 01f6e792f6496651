// Damages dataset files exhaustively or at random, and requires that damage is always detected and never served.
#include <unistd.h>

#include <algorithm>

#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/verify.hpp>

#include "../lib/dataset_file/small_file.hpp"
#include "catch.hpp"
#include "effort.hpp"
#include "served_data.hpp"
#include "support/file.hpp"
#include "tally.hpp"

using octavo::test::Tally;
using octavo::test::TemporaryFolder;

namespace {

constexpr std::size_t kPageBytes = 4096;
using Bytes = std::vector<std::byte>;

/// Whether opening or verifying the file reports a problem.
bool is_noticed(const std::filesystem::path& path) {
  try {
    octavo::Dataset::open(path);
  } catch (const octavo::FormatError&) {
    return true;
  }
  return octavo::verify(path, {.thread_count = 1, .with_hdf5 = false}).defect_count > 0;
}

using octavo::Compression;

/// Writes a file that uses every feature of the format, with `rows` samples of `shape`. `seed` changes the values.
/// With deflate, one split shrinks and one does not.
void write_victim(const std::filesystem::path& path, Compression compression, std::int64_t rows = 5,
                  octavo::SampleShape shape = {1, 2, 2}, std::int64_t seed = 0) {
  octavo::WriterOptions options = octavo::test::small_options(rows);
  options.compression = compression;
  options.splits[0].shape = shape;
  options.splits[0].with_names = true;
  if (compression == Compression::deflate) {
    options.splits.push_back({.name = "equal", .shape = {1, 1, 10}, .labels = {}, .row_capacity = 3});
  }
  octavo::Writer writer(path, options);
  auto values = octavo::test::values_of(shape, seed, rows);
  const auto labels = octavo::test::classes_of(0, rows);
  std::vector<std::string> names;
  for (std::int64_t row = 0; row < rows; ++row) names.push_back(row == 1 ? "" : "name " + std::to_string(row));
  writer.write(0, 0, values, std::as_bytes(std::span(labels)), names);
  if (compression == Compression::deflate) {
    std::vector<std::uint8_t> equal(30, 7);
    writer.write(1, 0, equal, {});
  }
  writer.finish("{\"command\":\"test\"}");
}

/// Flips each bit in turn; with sanitizers only one bit per byte, which varies. A run that is out of time has still
/// covered all parts of the file.
void flip_bits(const std::filesystem::path& path, Tally& tally) {
  constexpr std::size_t kStride = 1'000'003;  // a prime, so no divisor of the file length
  const Bytes bytes = octavo::test::bytes_of_file(path);
  const octavo::File file = octavo::File::open_for_writing(path);
  const auto byte_step = static_cast<std::size_t>(octavo::test::place_step(4));
  for (std::size_t i = 0; i < bytes.size() && tally.has_time(); i += byte_step) {
    const std::size_t at = i * kStride % bytes.size();
    // Five has no divisor in common with eight, so that each bit has its turn.
    const int step = octavo::test::is_night() ? 1 : std::max(5, static_cast<int>(octavo::test::place_step(8)));
    for (int bit = static_cast<int>(at) % step; bit < 8; bit += step) {
      const std::byte flipped = bytes[at] ^ static_cast<std::byte>(1 << bit);
      file.write_at(static_cast<std::int64_t>(at), std::span(&flipped, 1));
      const bool good = is_noticed(path);
      tally.add(good ? "" : "bit " + std::to_string(bit) + " of byte " + std::to_string(at));
    }
    file.write_at(static_cast<std::int64_t>(at), std::span(&bytes[at], 1));
  }
}

void cut(const std::filesystem::path& path, off_t length, Tally& tally) {
  REQUIRE(::truncate(path.c_str(), length) == 0);
  bool refused = false;
  try {
    octavo::Dataset::open(path);
  } catch (const octavo::FormatError&) {
    refused = true;
  }
  tally.add(refused ? "" : "cut at " + std::to_string(length));
}

// ---- Random damage -----------------------------------------------------------

/// Overwrites a page of `to` with a page of `from`; bytes past the end of `from` are zeros.
void copy_page(const Bytes& from, std::size_t from_page, Bytes& to, std::size_t to_page) {
  for (std::size_t i = 0; i < kPageBytes; ++i) {
    const std::size_t source = from_page * kPageBytes + i;
    const std::size_t place = to_page * kPageBytes + i;
    if (place < to.size()) to[place] = source < from.size() ? from[source] : std::byte{0};
  }
}

/// Changes several bytes, close together or anywhere.
void change_bytes(Bytes& bytes, std::mt19937_64& random) {
  const auto length = static_cast<std::int64_t>(bytes.size());
  const std::int64_t reach = octavo::test::below(random, 2) == 0 ? 64 : length;
  const std::int64_t first = octavo::test::below(random, length);
  for (std::int64_t left = 1 + octavo::test::below(random, 16); left > 0; --left) {
    const std::int64_t at = (first + octavo::test::below(random, reach)) % length;
    bytes[static_cast<std::size_t>(at)] = static_cast<std::byte>(random());
  }
}

/// Damages `bytes` in a way that `random` chooses; `old` is an older file of the same layout.
void damage(Bytes& bytes, const Bytes& old, std::mt19937_64& random) {
  const auto page_count = static_cast<std::int64_t>((bytes.size() + kPageBytes - 1) / kPageBytes);
  const auto any_page = [&] { return static_cast<std::size_t>(octavo::test::below(random, page_count)); };
  const std::size_t page = any_page();
  const std::size_t other = any_page();
  const Bytes before = bytes;
  switch (octavo::test::below(random, 8)) {
    case 0:  // two pages are swapped
      copy_page(before, other, bytes, page);
      copy_page(before, page, bytes, other);
      break;
    case 1:  // a page is also written to a wrong place
      copy_page(before, other, bytes, page);
      break;
    case 2:  // a page is lost
      copy_page({}, 0, bytes, page);
      break;
    case 3:  // a page comes from an older file
      copy_page(old, page, bytes, page);
      break;
    case 4:  // the end is lost, but the length stays
      std::fill(bytes.begin() + octavo::test::below(random, static_cast<std::int64_t>(bytes.size())), bytes.end(),
                std::byte{0});
      break;
    default:
      change_bytes(bytes, random);
  }
}

}  // namespace

TEST_CASE("single-bit flips anywhere in a file are detected", "[faults][damage]") {
  const TemporaryFolder folder;
  const bool night = octavo::test::is_night();
  const Compression compression = GENERATE(Compression::none, Compression::deflate);
  night ? write_victim(folder / "a.h5", compression, 5000, {1, 5, 6}) : write_victim(folder / "a.h5", compression);
  REQUIRE((night || std::filesystem::file_size(folder / "a.h5") < 24 * 1024));
  REQUIRE_FALSE(is_noticed(folder / "a.h5"));
  Tally tally("2 single bits turned");
  flip_bits(folder / "a.h5", tally);
  REQUIRE(tally.failures() == octavo::test::kNone);
  REQUIRE_FALSE(is_noticed(folder / "a.h5"));
}

TEST_CASE("a file truncated at any length is refused", "[faults][damage]") {
  const TemporaryFolder folder;
  write_victim(folder / "a.h5", GENERATE(Compression::none, Compression::deflate));
  Tally tally("1 cut at every byte");
  for (auto length = static_cast<off_t>(std::filesystem::file_size(folder / "a.h5")) - 1; length >= 0; --length) {
    cut(folder / "a.h5", length, tally);
  }
  REQUIRE(tally.failures() == octavo::test::kNone);
}

TEST_CASE("a larger file truncated near any sector boundary is refused", "[faults][damage]") {
  const TemporaryFolder folder;
  write_victim(folder / "a.h5", Compression::none, octavo::test::is_night() ? 16'000 : 500, {1, 32, 32});
  Tally tally("1 cut at every 512 bytes and next to them");
  const auto whole = static_cast<off_t>(std::filesystem::file_size(folder / "a.h5"));
  for (off_t sector = whole / 512 * 512; sector >= 512 && tally.has_time(); sector -= 512) {
    for (const off_t offset : {1, 0, -1}) {
      if (sector + offset < whole) cut(folder / "a.h5", sector + offset, tally);
    }
  }
  REQUIRE(tally.failures() == octavo::test::kNone);
}

TEST_CASE("damaged bytes and pages are detected and never served", "[faults][damage]") {
  constexpr std::int64_t kServeEvery = 8;
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  const Compression compression = GENERATE(Compression::none, Compression::deflate);
  write_victim(path, compression, 600, {1, 8, 8});
  write_victim(folder / "old.h5", compression, 600, {1, 8, 8}, 77);
  const Bytes whole = octavo::test::bytes_of_file(path);
  const Bytes old = octavo::test::bytes_of_file(folder / "old.h5");
  REQUIRE(whole.size() > 8 * kPageBytes);
  const octavo::test::ServedData expected = octavo::test::serve_file(path);
  const octavo::File file = octavo::File::open_for_writing(path);
  Tally tally("3 bytes changed, pages swapped, lost, misplaced, out of date", true);
  const std::int64_t count = octavo::test::case_count(10'000, 1'000'000);
  for (std::int64_t i = 0; tally.count() < count && tally.has_time(); ++i) {
    auto random = octavo::test::random_of_case(i);
    Bytes damaged = whole;
    damage(damaged, old, random);
    if (damaged == whole) continue;
    file.write_at(0, damaged);
    std::string problem;
    if (!is_noticed(path)) problem = "unnoticed";
    if (i % kServeEvery == 0 && octavo::test::serves_other_data(path, expected)) problem = "served";
    tally.add(problem.empty() ? "" : problem + " in case " + std::to_string(i));
  }
  REQUIRE(tally.failures() == octavo::test::kNone);
}
