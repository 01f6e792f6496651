// Reads through a cache, cold, warm and without room.
#include <octavo/cached_source.hpp>

#include <atomic>
#include <chrono>
#include <thread>

#include "cache_files.hpp"
#include "catch.hpp"
#include "counted_source.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

using Ranges = std::vector<CountedSource::Range>;

std::int64_t bytes_in(const Ranges& ranges) {
  std::int64_t bytes = 0;
  for (const auto& [offset, length] : ranges) bytes += length;
  return bytes;
}

}  // namespace

TEST_CASE("random reads through a cache have the bytes of the source, cold, warm and reopened", "[unit][cache]") {
  // Around the sizes of a block and of 64 blocks, whose bits are in one word.
  const std::int64_t length = GENERATE(1, 100, kBlock - 1, kBlock, kBlock + 1, 10 * kBlock + 4097, 64 * kBlock,
                                       64 * kBlock + 1, 129 * kBlock - 7);
  const TemporaryFolder folder;
  const auto plain = std::make_shared<CountedSource>(length);
  std::mt19937_64 random(static_cast<std::uint64_t>(length));
  for (int round = 0; round < 2; ++round) {
    const auto source = cached(plain, {folder / "cache", kPlenty});
    REQUIRE(source->length() == length);
    REQUIRE(source->name() == plain->name());
    for (int i = 0; i < 150; ++i) {
      REQUIRE(reads_a_random_range(*source, *plain, random, i % 3 == 0 ? length : 150'000));
    }
    REQUIRE(reads_the_bytes_of(*source, *plain, 0, length));
    REQUIRE(source->problem().empty());
    const CacheStatistics statistics = source->statistics();
    REQUIRE(statistics.damaged_blocks == 0);
    REQUIRE(statistics.not_kept_blocks == 0);
    REQUIRE(statistics.served_bytes > 0);
    // In the first round, every block is fetched once. In the second one, none is.
    REQUIRE(statistics.fetched_bytes == (round == 0 ? length : 0));
    REQUIRE(statistics.kept_blocks == (round == 0 ? (length + kBlock - 1) / kBlock : 0));
    REQUIRE(bytes_in(plain->take_reads()) == statistics.fetched_bytes);
  }
}

TEST_CASE("a read of the source is of whole blocks, and neighbors are joined up to 4 MiB", "[unit][cache]") {
  const TemporaryFolder folder;
  const auto plain = std::make_shared<CountedSource>(200 * kBlock + 5);
  const auto source = cached(plain, {folder.path(), kPlenty});
  const auto reads = [&](std::int64_t offset, std::int64_t length) {
    REQUIRE(reads_the_bytes_of(*source, *plain, offset, length));
    return plain->take_reads();
  };
  REQUIRE(reads(3 * kBlock + 10, 3000) == Ranges{{3 * kBlock, kBlock}});
  REQUIRE(reads(3 * kBlock, kBlock) == Ranges{});
  REQUIRE(reads(4 * kBlock - 1, 2) == Ranges{{4 * kBlock, kBlock}});
  REQUIRE(reads(2 * kBlock + 1, 5 * kBlock) == Ranges{{2 * kBlock, kBlock}, {5 * kBlock, 3 * kBlock}});
  REQUIRE(plain->take_started() == Ranges{{2 * kBlock, kBlock}, {5 * kBlock, 3 * kBlock}});
  REQUIRE(reads(200 * kBlock + 2, 3) == Ranges{{200 * kBlock, 5}});
  REQUIRE(reads(20 * kBlock, 50 * kBlock) == Ranges{{20 * kBlock, 32 * kBlock}, {52 * kBlock, 18 * kBlock}});
}

TEST_CASE("empty reads and reads that are not in the source are as without a cache", "[unit][cache]") {
  const TemporaryFolder folder;
  const auto plain =
      std::make_shared<CountedSource>(GENERATE(std::int64_t{0}, std::int64_t{1}, kBlock, 3 * kBlock + 5));
  const auto source = cached(plain, {folder.path(), kPlenty});
  const std::int64_t length = plain->length();
  for (int round = 0; round < 2; ++round) {
    REQUIRE(reads_the_bytes_of(*source, *plain, 0, 0));
    REQUIRE(reads_the_bytes_of(*source, *plain, length, 0));
    REQUIRE(reads_the_bytes_of(*source, *plain, 0, length));
    std::vector<std::byte> out(2);
    REQUIRE_THROWS_AS(source->read_at(length - 1, out), IoError);
    REQUIRE_THROWS_AS(source->read_at(length + kBlock, out), IoError);
    REQUIRE_THROWS_AS(source->read_at(-1, out), IoError);
  }
  REQUIRE(source->problem().empty());
}

TEST_CASE("what is at hand is what the cache has verified", "[unit][cache]") {
  const TemporaryFolder folder;
  const auto plain = std::make_shared<CountedSource>(4 * kBlock);
  std::vector<std::byte> out(100);
  const std::span<std::byte> parts[] = {std::span(out).first(40), std::span(out).subspan(40)};
  for (int round = 0; round < 2; ++round) {
    const auto source = cached(plain, {folder.path(), kPlenty});
    REQUIRE(source->read_parts_at_hand(kBlock - 50, parts) == AtHand::no);
    source->start_read(kBlock - 50, 100);
    source->start_read(kBlock - 50, 100);
    // Started once, and only if it is not on disk.
    REQUIRE(plain->take_started() == (round == 0 ? Ranges{{0, 2 * kBlock}} : Ranges{}));
    source->read_parts_at(kBlock - 50, parts);
    REQUIRE(source->read_parts_at_hand(kBlock - 50, parts) == AtHand::yes);
    REQUIRE(std::equal(out.begin(), out.end(), plain->bytes().begin() + kBlock - 50));
  }
  REQUIRE(bytes_in(plain->take_reads()) == 2 * kBlock);
}

TEST_CASE("threads that miss the same blocks fetch them once", "[unit][cache]") {
  const TemporaryFolder folder;
  constexpr std::int64_t kLength = 40 * kBlock + 99;
  const auto plain = std::make_shared<CountedSource>(kLength);
  plain->before_read = [] { std::this_thread::sleep_for(std::chrono::microseconds(300)); };  // as of a network
  const auto source = cached(plain, {folder.path(), kPlenty});
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (unsigned number = 0; number < 6; ++number) {
    threads.emplace_back([&, number] {
      std::mt19937_64 random(number);
      for (int i = 0; i < 200; ++i) wrong += reads_a_random_range(*source, *plain, random, 300'000) ? 0 : 1;
    });
  }
  threads.clear();
  REQUIRE(wrong == 0);
  REQUIRE(reads_the_bytes_of(*source, *plain, 0, kLength));
  REQUIRE(source->statistics().fetched_bytes == kLength);
  REQUIRE(source->problem().empty());
}

TEST_CASE("a failed fetch is the error of its reader, and the next reader fetches again", "[unit][cache]") {
  const TemporaryFolder folder;
  const auto plain = std::make_shared<CountedSource>(3 * kBlock);
  const auto source = cached(plain, {folder.path(), kPlenty});
  std::vector<std::byte> out(10);
  plain->before_read = [] { throw IoError("the network is down"); };
  REQUIRE_THROWS_WITH(source->read_at(kBlock, out), ContainsSubstring("the network is down"));
  plain->before_read = {};
  REQUIRE(reads_the_bytes_of(*source, *plain, kBlock - 5, 10));
  REQUIRE(source->problem().empty());
}

TEST_CASE("the identity is asked only after the source was read", "[unit][cache]") {
  const TemporaryFolder folder;
  const auto plain = std::make_shared<CountedSource>(3 * kBlock);
  const auto source = cached(plain, {folder.path(), kPlenty});
  REQUIRE(plain->identity_requests == 1);
  REQUIRE(source->identity() == "1");
  REQUIRE(plain->identity_requests == 1);
  REQUIRE(reads_the_bytes_of(*source, *plain, 0, 5));
  REQUIRE(source->identity() == "1");
  REQUIRE(source->identity() == "1");
  REQUIRE(plain->identity_requests == 2);
  REQUIRE(reads_the_bytes_of(*source, *plain, 10, 5));
  REQUIRE(source->identity() == "1");
  REQUIRE(plain->identity_requests == 2);
}

TEST_CASE("a source that changes has another cache file, and one that changes while it is read has none",
          "[unit][cache]") {
  const TemporaryFolder folder;
  const CacheOptions options{folder.path(), kPlenty};
  const auto first = std::make_shared<CountedSource>(3 * kBlock, 1);
  const auto second = std::make_shared<CountedSource>(3 * kBlock, 2);
  second->set_identity("2");
  REQUIRE(reads_the_bytes_of(*cached(first, options), *first, 0, 3 * kBlock));
  const auto source = cached(second, options);
  REQUIRE(reads_the_bytes_of(*source, *second, 0, kBlock));
  REQUIRE(cache_files_in(folder.path()).size() == 2);
  second->set_identity("3");
  REQUIRE(source->identity() == "3");
  REQUIRE(source->identity() == "3");
  REQUIRE(cache_files_in(folder.path()).size() == 1);
  REQUIRE(reads_the_bytes_of(*source, *second, 0, 3 * kBlock));
  REQUIRE(cached(first, options)->statistics().fetched_bytes == 0);
  // A source that cannot say when it changes is not cached.
  second->set_identity("");
  const auto uncached = cached(second, options);
  REQUIRE_THAT(uncached->problem(), ContainsSubstring("cannot say when it changes"));
  REQUIRE(reads_the_bytes_of(*uncached, *second, 0, 3 * kBlock));
}

TEST_CASE("a cache without a folder or a size is refused", "[unit][cache]") {
  const auto plain = std::make_shared<CountedSource>(10);
  REQUIRE_THROWS_AS(cached(plain, {"", kPlenty}), InvalidArgument);
  REQUIRE_THROWS_AS(cached(plain, {"folder", 0}), InvalidArgument);
  REQUIRE_THROWS_AS(cached(plain, {"folder", -1}), InvalidArgument);
}
