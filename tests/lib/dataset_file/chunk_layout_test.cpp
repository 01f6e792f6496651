#include "format/chunks/chunk_layout.hpp"

#include "catch.hpp"
#include "format/limits.hpp"

using octavo::dataset_file::chunk_layout_for;
using octavo::dataset_file::ChunkLayout;

TEST_CASE("chunks hold whole samples of at least a mebibyte and are at most 8000", "[unit][archive]") {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  // 1 MiB / 784 bytes = 1337.47: 1338 samples.
  REQUIRE(chunk_layout_for(60'000, 784).samples_per_chunk == 1338);
  REQUIRE(chunk_layout_for(60'000, 784).chunk_count() == 45);
  REQUIRE(chunk_layout_for(8'000, kMiB).samples_per_chunk == 1);
  REQUIRE(chunk_layout_for(8'000, kMiB - 1).samples_per_chunk == 2);
  REQUIRE(chunk_layout_for(100, 3 * kMiB).samples_per_chunk == 1);
  // ImageNet at 224 x 224: 1,281,167 * 150,528 / 8,000 = 24,106,439 bytes, or 160.1 samples.
  REQUIRE(chunk_layout_for(1'281'167, 150'528).samples_per_chunk == 161);
  REQUIRE(chunk_layout_for(1'281'167, 150'528).chunk_count() <= 8'000);
  // No larger than the split or the maximum chunk size.
  REQUIRE(chunk_layout_for(5, 784).samples_per_chunk == 5);
  REQUIRE(chunk_layout_for(1, 1).samples_per_chunk == 1);
  REQUIRE(chunk_layout_for(std::int64_t{1} << 33, 1 << 18).samples_per_chunk == 1024);
  REQUIRE(chunk_layout_for(std::int64_t{1} << 22, octavo::dataset_file::kMostChunkBytes).samples_per_chunk == 1);
}

TEST_CASE("the last chunk ends with the last sample", "[unit][archive]") {
  const ChunkLayout layout{10, 3, 4};
  REQUIRE(layout.chunk_count() == 3);
  REQUIRE(layout.chunk_bytes() == 12);
  REQUIRE(layout.chunk_of(7) == 1);
  REQUIRE(layout.first_row(2) == 8);
  REQUIRE(layout.end_row(1) == 8);
  REQUIRE(layout.end_row(2) == 10);
}
