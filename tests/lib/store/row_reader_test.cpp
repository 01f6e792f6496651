// Rows of a split, in any order.

#include <fcntl.h>

#include <octavo/errors.hpp>
#include <random>

#include "catch.hpp"
#include "dataset_file/file_dataset.hpp"
#include "packed_fixture.hpp"
#include "support/file.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// The expected result of reading `rows`, from the samples before packing. Each row is followed by `padding` untouched
/// bytes.
std::vector<std::byte> expected_codes(const PlainSplit& plain, const std::vector<std::int64_t>& rows) {
  std::vector<std::byte> codes;
  const auto values = static_cast<std::size_t>(plain.shape.values());
  for (const std::int64_t row : rows) {
    for (std::size_t i = 0; i < values; ++i) {
      codes.push_back(static_cast<std::byte>(plain.values[static_cast<std::size_t>(row) * values + i] ^ 0x80));
    }
  }
  return codes;
}

std::unique_ptr<const dataset_file::RowSource> make_reader(const Split& split, int thread_count) {
  return split.data()->open_rows({.thread_count = thread_count});
}

const dataset_file::FileSplit& in_file(const Split& split) {
  return dynamic_cast<const dataset_file::FileSplit&>(*split.data());
}

void reads(const PackedFixture& fixture, const std::vector<std::int64_t>& rows, int thread_count = 2) {
  const PlainSplit& plain = fixture.plain();
  const Split split = fixture.dataset().split("train");
  const auto reader = make_reader(split, thread_count);
  std::vector<std::byte> codes(rows.size() * static_cast<std::size_t>(plain.shape.values()), std::byte{0xEE});
  std::vector<std::int32_t> labels(rows.size() * static_cast<std::size_t>(plain.label_width), -1), expected_labels;
  for (const std::int64_t row : rows) {
    for (std::int64_t k = 0; k < plain.label_width; ++k) {
      expected_labels.push_back(plain.labels[static_cast<std::size_t>(row * plain.label_width + k)]);
    }
  }
  const dataset_file::RowTarget target{codes.data(), nullptr, reinterpret_cast<std::byte*>(labels.data())};
  // From the page cache, and after asking the system to drop the file from it, which is only a hint.
  for (const bool cold : {false, true}) {
    if (cold) {
      const auto& file = dynamic_cast<const File&>(in_file(split).reader().source());
      file.sync();
      ::posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
    }
    reader->read(rows, target, false);
    REQUIRE(codes == expected_codes(plain, rows));
    REQUIRE(labels == expected_labels);
  }
}

std::vector<std::int64_t> random_rows(std::int64_t N, std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<std::int64_t> rows(count);
  for (std::int64_t& row : rows) row = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(N));
  return rows;
}

}  // namespace

TEST_CASE("rows are read in any order and with repetitions", "[unit][store]") {
  const PackedFixture fixture({random_split("train", 1000, {1, 8, 8})},
                              GENERATE(Compression::none, Compression::deflate));
  reads(fixture, {});
  reads(fixture, {999});
  reads(fixture, {5, 5, 5, 4, 6, 5});
  reads(fixture, {0, 999, 0, 998});
  reads(fixture, random_rows(1000, 300));
  reads(fixture, random_rows(1000, 5000));  // more rows than exist, and more than one call reads
  reads(fixture, random_rows(1000, 300), 1);
}

TEST_CASE("neighbors and rows with gaps are read", "[unit][store]") {
  std::vector<std::int64_t> all, every_second, far;
  for (std::int64_t row = 0; row < 3000; ++row) all.push_back(row);
  for (std::int64_t row = 1; row < 3000; row += 2) every_second.push_back(row);
  for (std::int64_t row = 0; row < 3000; row += 70) far.push_back(row);  // gaps larger than the maximum
  const PackedFixture fixture({random_split("train", 3000, {1, 8, 8})},
                              GENERATE(Compression::none, Compression::deflate));
  for (const auto& rows : {all, every_second, far}) {
    reads(fixture, rows);
    reads(fixture, rows, 16);
  }
}

TEST_CASE("rows of a megabyte are read", "[unit][store]") {
  const Compression compression = GENERATE(Compression::none, Compression::deflate);
  reads(PackedFixture({random_split("train", 5, {3, 600, 600})}, compression), {4, 0, 1, 4});
}

TEST_CASE("labels of any length are read with their rows", "[unit][store]") {
  for (const std::int64_t width : {0, 3, 40}) {  // 40: longer than the labels kept in memory
    PlainSplit split = random_split("train", 200, {1, 4, 4});
    split.label_width = width;
    split.labels.resize(static_cast<std::size_t>(200 * width));
    for (std::size_t i = 0; i < split.labels.size(); ++i) split.labels[i] = static_cast<std::int32_t>(i * 7 % 3 % 2);
    for (const Compression compression : {Compression::none, Compression::deflate}) {
      reads(PackedFixture({split}, compression), random_rows(200, 150));
    }
  }
}

TEST_CASE("reading stops when it is cancelled", "[unit][store]") {
  const PackedFixture fixture({random_split("train", 100, {1, 8, 8})},
                              GENERATE(Compression::none, Compression::deflate));
  const auto reader = make_reader(fixture.dataset().split("train"), 2);
  std::vector<std::byte> codes(64, std::byte{0xEE}), labels(4);
  reader->read(std::vector<std::int64_t>{7}, {codes.data(), nullptr, labels.data()}, true);
  REQUIRE(codes == std::vector<std::byte>(64, std::byte{0xEE}));
}

TEST_CASE("rows are copied out of many chunks", "[unit][store]") {
  // 1 MiB / 784 = 1338 samples per chunk: 4 chunks, the last one short.
  const PackedFixture fixture({smooth_split("train", 4500, {1, 28, 28})}, Compression::deflate);
  std::vector<std::int64_t> range;
  for (std::int64_t row = 1300; row < 4500; ++row) range.push_back(row);
  for (const int thread_count : {1, 2, 5}) {
    reads(fixture, random_rows(4500, 700), thread_count);
    reads(fixture, {4499, 1338, 1337, 0, 4499, 1338}, thread_count);
    reads(fixture, range, thread_count);
  }
}

TEST_CASE("damaged samples and chunks are named when they are read", "[unit][store]") {
  for (const bool shrinks : {false, true}) {
    const PackedFixture fixture(
        {shrinks ? smooth_split("train", 3000, {1, 28, 28}) : random_split("train", 3000, {1, 28, 28})},
        Compression::deflate);
    const dataset_file::Extent chunk = in_file(fixture.dataset().split("train")).entry().chunked->chunks[1].extent;
    const File file = File::open_for_writing(fixture.path());
    std::vector<std::byte> bytes(8);
    file.read_at(chunk.offset + 100 * 784, bytes);
    for (std::byte& byte : bytes) byte ^= std::byte{0xA5};
    file.write_at(chunk.offset + 100 * 784, bytes);
    const auto reader = make_reader(fixture.dataset().split("train"), 2);
    std::vector<std::byte> codes(2 * 784), labels(8);
    const dataset_file::RowTarget target{codes.data(), nullptr, labels.data()};
    REQUIRE_NOTHROW(reader->read(std::vector<std::int64_t>{5, 2800}, target, false));
    REQUIRE_THROWS_WITH(
        reader->read(std::vector<std::int64_t>{1438, 5}, target, false),
        ContainsSubstring(shrinks ? "chunk 1, which holds samples 1338 to 2675" : "sample 1438 is damaged"));
  }
}
