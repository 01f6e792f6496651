// Files with deflated images: data is read as written, for any order, pieces and number of threads.
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/verify.hpp>

#include <atomic>
#include <cstring>
#include <thread>

#include "catch.hpp"
#include "deflated_file.hpp"
#include "forge.hpp"
#include "format/chunks/chunk_table.hpp"
#include "format/chunks/deflate_codec.hpp"
#include "format/reader.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;
using dataset_file::Reader;

namespace {

struct Case {
  const char* name;
  SampleShape shape;
  std::int64_t rows;
  Contents contents;
};

const Case kCases[] = {
    {"many small samples, a short last chunk", {1, 28, 28}, 3000, Contents::photo},
    {"chunks that end with the samples", {1, 32, 32}, 2048, Contents::photo},
    {"samples larger than a chunk", {3, 600, 700}, 4, Contents::photo},
    {"one sample", {3, 5, 7}, 1, Contents::photo},
    {"one value", {1, 1, 1}, 1, Contents::noise},
    {"noise, which does not shrink", {1, 28, 28}, 3000, Contents::noise},
    {"zeros", {1, 64, 64}, 1000, Contents::zeros},
    {"rows of a prime length", {1, 1, 8191}, 300, Contents::photo},
};

std::vector<std::int8_t> codes_of(const Case& given, std::int64_t first, std::int64_t count) {
  std::vector<std::int8_t> codes;
  for (const std::uint8_t value : contents_of(given.contents, given.shape, first, count)) {
    codes.push_back(static_cast<std::int8_t>(value - 128));
  }
  return codes;
}

std::vector<std::int8_t> read(const Split& split, std::int64_t first, std::int64_t count) {
  std::vector<std::int8_t> codes(static_cast<std::size_t>(count * split.shape().values()));
  std::vector<std::int32_t> labels(static_cast<std::size_t>(count));
  split.read_checked(first, count, codes, std::as_writable_bytes(std::span(labels)));
  REQUIRE(labels == classes_of(first, count));
  return codes;
}

std::vector<std::string> defects_of(const std::filesystem::path& path) {
  std::vector<std::string> texts;
  for (const Defect& defect : verify(path, {.thread_count = 2}).defects)
    texts.push_back(defect.where + ": " + defect.what);
  return texts;
}

/// Fewer threads than pieces process them in turn, so that chunks finish out of order.
void write_in_pieces(const std::filesystem::path& path, const WriterOptions& options, Contents contents,
                     std::int64_t piece_rows, int thread_count, bool backwards) {
  Writer writer(path, options);
  struct Piece {
    std::size_t split;
    std::int64_t first, end;
  };
  std::vector<Piece> pieces;
  for (std::size_t split = 0; split < options.splits.size(); ++split) {
    const std::int64_t rows = options.splits[split].row_capacity;
    for (std::int64_t row = 0; row < rows; row += piece_rows) {
      pieces.push_back({split, row, std::min(row + piece_rows, rows)});
    }
  }
  if (backwards) std::reverse(pieces.begin(), pieces.end());
  std::atomic<std::size_t> next = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < thread_count; ++thread) {
      threads.emplace_back([&] {
        for (std::size_t i; (i = next++) < pieces.size();) {
          write_rows(writer, pieces[i].split, options.splits[pieces[i].split], contents, pieces[i].first,
                     pieces[i].end);
        }
      });
    }
  }
  writer.finish("{}");
}

}  // namespace

TEST_CASE("deflated images are read as they were written", "[unit][archive]") {
  for (const Case& given : kCases) {
    INFO(given.name);
    const TemporaryFolder folder;
    write_deflated(folder / "a.h5", deflated_options(given.shape, given.rows), given.contents);
    const Split split = Dataset::open(folder / "a.h5").split("train");
    REQUIRE(split.compression() == Compression::deflate);
    REQUIRE(split.packed_bytes() == given.rows * given.shape.values());
    REQUIRE(read(split, 0, given.rows) == codes_of(given, 0, given.rows));
    const std::int64_t middle = given.rows / 2;
    REQUIRE(read(split, middle, given.rows - middle) == codes_of(given, middle, given.rows - middle));
    for (const std::int64_t row : {std::int64_t{0}, middle, given.rows - 1}) {
      REQUIRE(read(split, row, 1) == codes_of(given, row, 1));
    }
    REQUIRE(defects_of(folder / "a.h5") == std::vector<std::string>{});
    REQUIRE(verify(folder / "a.h5").hdf5_checked);
    REQUIRE(names_in(folder.path()).size() == 1);
  }
}

TEST_CASE("compressible chunks are smaller and incompressible ones are stored unchanged", "[unit][archive]") {
  const TemporaryFolder folder;
  write_deflated(folder / "photo.h5", deflated_options({1, 28, 28}, 3000), Contents::photo);
  write_deflated(folder / "noise.h5", deflated_options({1, 28, 28}, 3000), Contents::noise);
  const auto stored = [&](const char* name) { return Dataset::open(folder / name).split("train").stored_bytes(); };
  REQUIRE(stored("photo.h5") < 3000 * 784 * 2 / 3);
  const auto reader = Reader::open(folder / "noise.h5");
  const auto& chunks = reader->find_split("train")->chunked->chunks;
  REQUIRE(chunks.size() == 3);
  REQUIRE_FALSE(chunks[0].is_encoded);
  REQUIRE_FALSE(chunks[1].is_encoded);
  REQUIRE(chunks[2].is_encoded);  // 324 samples of noise, padded with zeros
  REQUIRE(stored("noise.h5") == 2 * 1338 * 784 + chunks[2].extent.bytes);
}

TEST_CASE("chunks follow each other in the file", "[unit][archive]") {
  const TemporaryFolder folder;
  auto options = deflated_options({1, 28, 28}, 9000);
  options.splits.push_back(deflated_split("test", {1, 28, 28}, 4000));
  write_deflated(folder / "a.h5", options, Contents::photo);
  const auto reader = Reader::open(folder / "a.h5");
  std::int64_t apart = 0, count = 0;
  const dataset_file::Extent* previous = nullptr;
  for (const auto& split : reader->index().splits) {
    for (const auto& chunk : split.chunked->chunks) {
      if (previous != nullptr) apart += chunk.extent.offset - previous->end();
      previous = &chunk.extent;
      ++count;
    }
  }
  REQUIRE(count == 7 + 3);
  REQUIRE(apart >= 0);
  REQUIRE(apart < 4096);  // HDF5's chunk index
}

TEST_CASE("the bytes of a deflated file do not depend on pieces or order or threads", "[unit][archive][plain-only]") {
  const TemporaryFolder folder;
  auto options = deflated_options({1, 28, 28}, 5000);
  options.splits.push_back(deflated_split("test", {3, 20, 20}, 2100));
  write_deflated(folder / "whole.h5", options, Contents::photo);
  const auto expected = bytes_of_file(folder / "whole.h5");
  for (const bool backwards : {false, true}) {
    for (const int thread_count : {1, 2, 5}) {
      for (const std::int64_t piece_rows : {1338, 100, 5000}) {
        INFO(thread_count << " threads, pieces of " << piece_rows << (backwards ? ", backwards" : ""));
        write_in_pieces(folder / "a.h5", options, Contents::photo, piece_rows, thread_count, backwards);
        REQUIRE(bytes_of_file(folder / "a.h5") == expected);
        std::filesystem::remove(folder / "a.h5");
      }
    }
  }
  REQUIRE(names_in(folder.path()).size() == 1);
}

TEST_CASE("chunks that wait for the first one spill to disk", "[unit][archive][plain-only]") {
  const TemporaryFolder folder;
  // 80 chunks of 1 MiB that do not shrink; 64 MiB may wait in memory.
  const auto options = deflated_options({1, 1024, 1024}, 80);
  write_in_pieces(folder / "a.h5", options, Contents::noise, 1, 2, true);
  write_in_pieces(folder / "b.h5", options, Contents::noise, 1, 1, false);
  REQUIRE(bytes_of_file(folder / "a.h5") == bytes_of_file(folder / "b.h5"));
}

TEST_CASE("a deflated file with skipped rows is byte-identical to one that never had them", "[unit][archive]") {
  const TemporaryFolder folder;
  auto options = deflated_options({1, 28, 28}, 6000);
  options.rows_may_be_skipped = true;
  const auto is_kept = [](std::int64_t row) { return row % 3 != 1 && row != 1500; };
  std::vector<std::int64_t> kept;
  for (std::int64_t row = 0; row < 6000; ++row) {
    if (is_kept(row)) kept.push_back(row);
  }
  auto exact = deflated_options({1, 28, 28}, static_cast<std::int64_t>(kept.size()));
  Writer writer(folder / "exact.h5", exact);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    auto values = contents_of(Contents::photo, {1, 28, 28}, kept[i], 1);
    const auto labels = classes_of(kept[i], 1);
    writer.write(0, static_cast<std::int64_t>(i), values, std::as_bytes(std::span(labels)));
  }
  writer.finish("{}");
  for (const int thread_count : {1, 3}) {
    options.thread_count = thread_count;
    options.replace_existing = true;
    Writer skipping(folder / "skipped.h5", options);
    for (std::int64_t row = 0; row < 6000; ++row) {
      if (is_kept(row))
        write_rows(skipping, 0, options.splits[0], Contents::photo, row, row + 1);
      else
        skipping.skip(0, row);
    }
    skipping.finish("{}");
    REQUIRE(bytes_of_file(folder / "skipped.h5") == bytes_of_file(folder / "exact.h5"));
  }
  REQUIRE(names_in(folder.path()).size() == 2);
}

TEST_CASE("a writer reports the best block size for writing rows", "[unit][archive]") {
  const TemporaryFolder folder;
  auto options = deflated_options({1, 28, 28}, 3000);
  REQUIRE(Writer(folder / "a.h5", options).rows_per_block(0) == 1338);
  options.rows_may_be_skipped = true;
  REQUIRE(Writer(folder / "a.h5", options).rows_per_block(0) == 1);
  options.compression = Compression::none;
  REQUIRE(Writer(folder / "a.h5", options).rows_per_block(0) == 1);
}

TEST_CASE("levels and samples that cannot be deflated are refused", "[unit][archive]") {
  const TemporaryFolder folder;
  for (const int level : {0, 13, -1}) {
    auto options = deflated_options({1, 4, 4}, 3);
    options.compression_level = level;
    REQUIRE_THROWS_WITH(Writer(folder / "a.h5", options), ContainsSubstring("expected 1 to 12"));
  }
  REQUIRE_THROWS_WITH(Writer(folder / "a.h5", deflated_options({1, 16385, 16384}, 3)),
                      ContainsSubstring("more than 256 MiB each"));
  for (const int level : {1, 9, 12}) {
    auto options = deflated_options({1, 8, 8}, 30);
    options.compression_level = level;
    write_deflated(folder / (std::to_string(level) + ".h5"), options, Contents::photo);
    REQUIRE(defects_of(folder / (std::to_string(level) + ".h5")) == std::vector<std::string>{});
  }
}

TEST_CASE("a damaged chunk is named with its samples and the others are readable", "[unit][archive]") {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  write_deflated(path, deflated_options({1, 28, 28}, 3000), Contents::photo);
  auto bytes = bytes_of_file(path);
  {
    const auto reader = Reader::open(path);
    const dataset_file::Extent& chunk = reader->find_split("train")->chunked->chunks[1].extent;
    for (std::int64_t i = 0; i < 64; ++i) {
      bytes[static_cast<std::size_t>(chunk.offset + chunk.bytes / 2 + i)] ^= std::byte{0x5A};
    }
  }
  write_bytes(path, bytes);
  const Split split = Dataset::open(path).split("train");
  REQUIRE_NOTHROW(read(split, 0, 1338));
  REQUIRE_NOTHROW(read(split, 2676, 324));
  std::vector<std::int8_t> codes(784);
  REQUIRE_THROWS_WITH(split.read(2000, 1, codes),
                      ContainsSubstring("/train/images is damaged in chunk 1, which holds samples 1338 to 2675"));
  const auto defects = defects_of(path);
  REQUIRE_FALSE(defects.empty());
  REQUIRE_THAT(defects[0], ContainsSubstring("/train/images chunk 1, which holds samples 1338 to 2675: its hash"));
}

TEST_CASE("a damaged chunk that is stored unchanged is named with its sample", "[unit][archive]") {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  write_deflated(path, deflated_options({1, 28, 28}, 3000), Contents::noise);
  auto bytes = bytes_of_file(path);
  const std::int64_t offset = Reader::open(path)->find_split("train")->chunked->chunks[1].extent.offset;
  bytes[static_cast<std::size_t>(offset + 5 * 784)] ^= std::byte{1};
  write_bytes(path, bytes);
  const auto defects = defects_of(path);
  REQUIRE(defects.size() == 2);
  REQUIRE_THAT(defects[0], ContainsSubstring("chunk 1, which holds samples 1338 to 2675: its hash"));
  REQUIRE_THAT(defects[1], ContainsSubstring("/train/images sample 1343: its checksum"));
}

namespace {

/// Changes the chunk table of a new file with three chunks, corrects its hashes, and requires that it is refused.
void require_refused(const std::string& words, const std::function<void(std::vector<std::uint64_t>&)>& change) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  write_deflated(path, deflated_options({1, 28, 28}, 3000), Contents::photo);
  dataset_file::Extent table;
  std::vector<std::uint64_t> words_of_table;
  {
    const auto reader = Reader::open(path);
    const auto& deflated = *reader->find_split("train")->chunked;
    table = deflated.table;
    words_of_table = dataset_file::encode_chunk_table(deflated.chunks);
  }
  change(words_of_table);
  const auto bytes = std::as_bytes(std::span(words_of_table));
  File::open_for_writing(path).write_at(table.offset, bytes);
  forge_index(path, [&](Json& json) { json["splits"][0]["datasets"]["chunks"]["hash"] = to_hex(hash_bytes(bytes)); });
  REQUIRE_THROWS_AS(Dataset::open(path), FormatError);
  REQUIRE_THROWS_WITH(Dataset::open(path), ContainsSubstring(words));
}

}  // namespace

TEST_CASE("an impossible chunk table is refused before anything is inflated", "[unit][archive]") {
  // Words of an entry: offset, bytes, mask, hash.
  require_refused("2^63 or more", [](auto& words) { words[4] = ~0ull; });
  require_refused("2^63 or more", [](auto& words) { words[5] = 1ull << 63; });
  require_refused("ends outside the file", [](auto& words) { words[4] = (1ull << 62); });
  require_refused("ends outside the file", [](auto& words) { words[8] = (1ull << 63) - 1; });
  require_refused("overlaps the header or another dataset", [](auto& words) { words[4] = words[0]; });
  require_refused("overlaps the header or another dataset", [](auto& words) { words[4] = words[0] + 1; });
  require_refused("overlaps the header or another dataset", [](auto& words) { words[0] = 0; });
  require_refused("cannot become", [](auto& words) { words[5] = 0; });
  require_refused("cannot become", [](auto& words) { words[5] = 1338 * 784; });
  require_refused("cannot become", [](auto& words) { words[5] = 1000; });  // a ratio of 1,049; 1,032 is possible
  require_refused("filter mask", [](auto& words) { words[6] = 2; });
  require_refused("cannot become", [](auto& words) { words[6] = 1; });
  // The table is valid, but the bytes between the datasets are not the expected ones.
  require_refused("another program changed it", [](auto& words) { words[5] -= 1; });
}

TEST_CASE("an index with impossible chunks is refused", "[unit][archive]") {
  const auto refused = [](const std::string& words, const std::function<void(Json&)>& change) {
    const TemporaryFolder folder;
    const auto path = folder / "a.h5";
    write_deflated(path, deflated_options({1, 28, 28}, 3000), Contents::photo);
    forge_index(path, [&](Json& json) { change(json["splits"][0]); });
    REQUIRE_THROWS_AS(Dataset::open(path), FormatError);
    REQUIRE_THROWS_WITH(Dataset::open(path), ContainsSubstring(words));
  };
  refused("1 to all", [](Json& split) { split["chunk_samples"] = 0; });
  refused("1 to all", [](Json& split) { split["chunk_samples"] = 3001; });
  refused("1 to all", [](Json& split) { split["chunk_samples"] = 0x7FFFFFFFFFFFFFFF; });
  refused("do not match its shape", [](Json& split) {
    split["chunk_samples"] = 1000;
    split["datasets"]["chunks"]["bytes"] = 64;
  });
  refused("chunk_samples", [](Json& split) { split.erase("chunk_samples"); });
  refused("chunks", [](Json& split) { split["datasets"].erase("chunks"); });
  refused("hash", [](Json& split) { split["datasets"]["chunks"].erase("hash"); });
  refused("/train/chunks is damaged", [](Json& split) { split["datasets"]["chunks"]["hash"] = "0123456789abcdef"; });
  refused("outside the file", [](Json& split) { split["datasets"]["chunks"]["offset"] = 0x7FFFFFFFFFFFFF00; });
  refused("more samples than the file can hold", [](Json& split) { split["samples"] = 1 << 30; });
  refused("1 to all", [](Json& split) {
    split["shape"] = {1, 1 << 14, 1 << 15};
    split["chunk_samples"] = 1;
  });
}

TEST_CASE("a truncated stream or one that inflates to a different length is refused", "[unit][archive]") {
  const auto deflater = dataset_file::codec_of(Compression::deflate).make_encoder(4);
  const std::vector<std::byte> chunk(1000, std::byte{7});
  const auto stream = deflater->encode(chunk);
  REQUIRE(stream);
  std::vector<std::byte> out(1000);
  REQUIRE(dataset_file::inflate(*stream, out));
  REQUIRE(out == chunk);
  for (const std::size_t bytes : {999u, 1001u, 0u}) {
    std::vector<std::byte> other(bytes);
    REQUIRE_FALSE(dataset_file::inflate(*stream, other));
  }
  auto longer = *stream;
  longer.push_back(std::byte{0});
  REQUIRE_FALSE(dataset_file::inflate(longer, out));
  REQUIRE_FALSE(dataset_file::inflate(std::span(*stream).first(stream->size() - 1), out));
  REQUIRE_FALSE(dataset_file::inflate({}, out));
}

TEST_CASE("a zlib stream that saves less than 3 % is not used", "[unit][archive]") {
  const auto deflater = dataset_file::codec_of(Compression::deflate).make_encoder(4);
  REQUIRE_FALSE(deflater->encode(std::vector<std::byte>(1)));
  const auto values = contents_of(Contents::noise, {1, 100, 100}, 0, 1);
  REQUIRE_FALSE(deflater->encode(std::as_bytes(std::span(values))));
}
