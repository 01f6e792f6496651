// Batches of a dataset that is read through a cache.
#include <octavo/batch_maker.hpp>
#include <octavo/cached_source.hpp>
#include <octavo/dataset.hpp>
#include <octavo/loader.hpp>
#include <octavo/store.hpp>

#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "counted_source.hpp"
#include "packed_fixture.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

std::vector<std::byte> bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

std::string epoch_of(const Dataset& dataset, Residency residency, std::int64_t epoch) {
  const LoaderOptions options{.batch_size = 32, .shuffle = true, .seed = 3};
  return BatchMaker(Store::load(dataset.split("train"), Device::cpu(), {.residency = residency}), options)
      .fingerprint(epoch, true);
}

}  // namespace

TEST_CASE("a loader over a cached source serves the bits of the file, cold and warm, and fetches each block once",
          "[unit][cache]") {
  const auto compression = GENERATE(Compression::none, Compression::deflate, Compression::lp8);
  const auto residency = GENERATE(Residency::device, Residency::streamed);
  const PackedFixture fixture({random_split("train", 700, {3, 16, 16})}, compression);
  const auto plain = std::make_shared<CountedSource>(bytes_of(fixture.path()));
  const TemporaryFolder folder;
  for (int process = 0; process < 2; ++process) {
    const auto source = cached(plain, {folder.path(), std::int64_t{1} << 30});
    const Dataset dataset = Dataset::open(source);
    REQUIRE(epoch_of(dataset, residency, 0) == epoch_of(fixture.dataset(), residency, 0));
    const auto reads = plain->take_reads();
    REQUIRE(reads.empty() == (process == 1));
    REQUIRE(source->statistics().fetched_bytes <= plain->length());
    // The second epoch makes no request.
    plain->identity_requests = 0;
    REQUIRE(epoch_of(dataset, residency, 1) == epoch_of(fixture.dataset(), residency, 1));
    REQUIRE(plain->take_reads().empty());
    REQUIRE(plain->identity_requests == 0);
    REQUIRE(source->problem().empty());
  }
}

TEST_CASE("a loader over a cache that is too small serves the bits of the file", "[unit][cache]") {
  const PackedFixture fixture({random_split("train", 700, {3, 16, 16})}, Compression::none);
  const auto plain = std::make_shared<CountedSource>(bytes_of(fixture.path()));
  const TemporaryFolder folder;
  const auto source = cached(plain, {folder.path(), plain->length() / 2});
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    REQUIRE(epoch_of(Dataset::open(source), Residency::streamed, epoch) ==
            epoch_of(fixture.dataset(), Residency::streamed, epoch));
  }
  REQUIRE(source->statistics().not_kept_blocks > 0);
  REQUIRE(source->statistics().served_blocks > 0);
}
