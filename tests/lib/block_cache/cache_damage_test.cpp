// Cache files with other contents than this library wrote.
#include <octavo/cached_source.hpp>

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "cache_files.hpp"
#include "catch.hpp"
#include "counted_source.hpp"
#include "support/file.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// A cache with all blocks of a source.
struct FullCache {
  explicit FullCache(std::int64_t length) : plain(std::make_shared<CountedSource>(length)) {
    read_all();
    file = cache_files_in(folder.path()).front();
  }
  CacheStatistics read_all() const {
    const auto source = cached(plain, {folder.path(), kPlenty});
    REQUIRE(reads_the_bytes_of(*source, *plain, 0, plain->length()));
    REQUIRE(source->problem().empty());
    return source->statistics();
  }
  void flip(std::int64_t offset, std::byte mask) const {
    const File opened = File::open_for_writing(file);
    std::byte byte{};
    opened.read_at(offset, {&byte, 1});
    byte ^= mask;
    opened.write_at(offset, {&byte, 1});
  }

  TemporaryFolder folder;
  std::shared_ptr<CountedSource> plain;
  std::filesystem::path file;
};

}  // namespace

TEST_CASE("no flipped byte of a cache file gives wrong bytes", "[unit][cache]") {
  const FullCache cache(300);
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(cache.file));
  REQUIRE(bytes == kData + 300);
  std::int64_t fetched = 0, damaged = 0;
  for (std::int64_t offset = 0; offset < bytes;) {
    cache.flip(offset, static_cast<std::byte>(1U << (offset % 8)));
    const CacheStatistics statistics = cache.read_all();
    fetched += statistics.fetched_blocks;
    damaged += statistics.damaged_blocks;
    // Every byte that has a meaning; some of the zeros of the header and of the unused table.
    const bool is_zero = (offset >= 64 && offset < kTable) || (offset >= kTable + 8 && offset < kData);
    const std::int64_t next = offset + (!is_zero ? 1 : offset < kTable ? 1021 : 200'003);
    offset = offset < kTable && next > kTable ? kTable : offset < kData && next > kData ? kData : next;
  }
  REQUIRE(damaged == 8 + 300);
  REQUIRE(fetched >= damaged + 64);  // a file with another header is made again
}

TEST_CASE("a damaged block is fetched again and kept", "[unit][cache]") {
  const FullCache cache(5 * kBlock + 100);
  cache.flip(kData + 2 * kBlock + 1000, std::byte{0x10});
  cache.flip(kData + 5 * kBlock + 99, std::byte{0x80});
  const CacheStatistics statistics = cache.read_all();
  REQUIRE(statistics.damaged_blocks == 2);
  REQUIRE(statistics.fetched_bytes == kBlock + 100);
  REQUIRE(statistics.kept_blocks == 2);
  REQUIRE(cache.read_all().fetched_blocks == 0);
}

TEST_CASE("a block with its seal in another place or of another source does not match", "[unit][cache]") {
  const FullCache cache(3 * kBlock);
  auto other = std::make_shared<CountedSource>(3 * kBlock, 2);
  other->set_name("memory://other");
  const CacheOptions options{cache.folder.path(), kPlenty};
  REQUIRE(reads_the_bytes_of(*cached(other, options), *other, 0, 3 * kBlock));
  const auto files = cache_files_in(cache.folder.path());
  REQUIRE(files.size() == 2);
  const File from = File::open_for_writing(files[0] == cache.file ? files[1] : files[0]);
  const File to = File::open_for_writing(cache.file);
  std::vector<std::byte> block(kBlock), seal(8);
  const bool is_foreign = GENERATE(false, true);
  const File& source = is_foreign ? from : to;
  source.read_at(kData, block);
  source.read_at(4096, seal);
  to.write_at(kData + (is_foreign ? 0 : kBlock), block);
  to.write_at(4096 + (is_foreign ? 0 : 8), seal);
  REQUIRE(cache.read_all().damaged_blocks == 1);
}

TEST_CASE("a cache file of another length, or with the header of another one, is made again", "[unit][cache]") {
  const FullCache cache(3 * kBlock + 10);
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(cache.file));
  for (const std::int64_t length :
       {std::int64_t{0}, std::int64_t{1}, kTable, kData, bytes - 1, bytes + 1, bytes + (std::int64_t{1} << 40)}) {
    std::filesystem::resize_file(cache.file, static_cast<std::uintmax_t>(length));
    REQUIRE(cache.read_all().fetched_blocks == 4);
    REQUIRE(cache.read_all().fetched_blocks == 0);
    REQUIRE(static_cast<std::int64_t>(std::filesystem::file_size(cache.file)) == bytes);
  }
  cache.flip(0, std::byte{1});
  REQUIRE(cache.read_all().fetched_blocks == 4);
}

TEST_CASE("a table of random numbers gives no wrong bytes", "[unit][cache]") {
  const FullCache cache(20 * kBlock);
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> seals(20);
  for (std::uint64_t& seal : seals) seal = random();
  File::open_for_writing(cache.file).write_at(4096, std::as_bytes(std::span(seals)));
  REQUIRE(cache.read_all().damaged_blocks == 20);
  REQUIRE(cache.read_all().fetched_blocks == 0);
}

TEST_CASE("a cache file that is truncated while it is read ends caching, not reading", "[unit][cache]") {
  const FullCache cache(5 * kBlock);
  const auto source = cached(cache.plain, {cache.folder.path(), kPlenty});
  if (GENERATE(false, true)) REQUIRE(reads_the_bytes_of(*source, *cache.plain, 0, 5 * kBlock));
  std::filesystem::resize_file(cache.file,
                               static_cast<std::uintmax_t>(GENERATE(std::int64_t{0}, kTable, kData + 2 * kBlock + 5)));
  std::mt19937_64 random(1);
  for (int i = 0; i < 50; ++i) REQUIRE(reads_a_random_range(*source, *cache.plain, random, 2 * kBlock));
  REQUIRE(reads_the_bytes_of(*source, *cache.plain, 0, 5 * kBlock));
  REQUIRE_THAT(source->problem(), ContainsSubstring("truncated"));
}

TEST_CASE("a ledger with any contents keeps the size within its limit", "[unit][cache]") {
  const FullCache cache(10 * kBlock);
  std::mt19937_64 random(1);
  const std::int64_t most_bytes = 30 * kBlock;
  for (unsigned i = 0; i < 20; ++i) {
    {
      std::ofstream ledger(cache.folder / "ledger.octavo-cache",
                           std::ios::binary | (i % 2 == 0 ? std::ios::trunc : std::ios::in));
      for (std::uint64_t k = random() % 40; k > 0; --k) ledger.put(static_cast<char>(random()));
    }
    const auto plain = std::make_shared<CountedSource>(10 * kBlock, i);
    plain->set_identity("version " + std::to_string(i));
    const auto source = cached(plain, {cache.folder.path(), most_bytes});
    REQUIRE(reads_the_bytes_of(*source, *plain, 0, 10 * kBlock));
    REQUIRE(source->statistics().kept_blocks == 10);
    REQUIRE(cache_bytes_in(cache.folder.path()) <= most_bytes);
  }
}
