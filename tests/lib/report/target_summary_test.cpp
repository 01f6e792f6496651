// How targets are distributed.
#include <octavo/target_summary.hpp>

#include <octavo/writer.hpp>

#include "catch.hpp"
#include "packed_fixture.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

TEST_CASE("targets are summarized by column", "[unit][report]") {
  const TemporaryFolder folder;
  // More values than are read at once: 40,000 rows with the targets i % 4 and 7.
  constexpr std::int64_t kRows = 40000;
  WriterOptions options;
  options.splits = {{"train", {1, 1, 1}, {LabelKind::target, 2}, Color::gray, kRows, false}};
  Writer writer(folder / "a.h5", options);
  std::vector<std::uint8_t> values(kRows, 7);
  std::vector<float> targets;
  for (std::int64_t row = 0; row < kRows; ++row) targets.insert(targets.end(), {static_cast<float>(row % 4), 7.0F});
  writer.write(0, 0, values, std::as_bytes(std::span(targets)));
  writer.finish("{}");
  const auto columns = summarize_targets(Dataset::open(folder / "a.h5").split("train"));
  REQUIRE(columns.size() == 2);
  CHECK(columns[0].count == kRows);
  CHECK(columns[0].not_finite == 0);
  CHECK(columns[0].min == 0.0);
  CHECK(columns[0].max == 3.0);
  CHECK(columns[0].mean == Approx(1.5));
  // 16 parts of 3/16: 1 is in part floor(16/3) = 5, 2 in floor(32/3) = 10, 3 in the last.
  std::array<std::int64_t, TargetSummary::kBins> expected = {};
  for (const std::size_t bin : {0, 5, 10, 15}) expected[bin] = kRows / 4;
  CHECK(columns[0].histogram == expected);
  CHECK(columns[1].min == 7.0);
  CHECK(columns[1].max == 7.0);
  CHECK(columns[1].mean == 7.0);
  CHECK(columns[1].histogram[0] == kRows);
}

TEST_CASE("classes have no summary of targets", "[unit][report]") {
  const TemporaryFolder folder;
  write_packed(folder / "a.h5", {random_split("train", 5, {1, 2, 2})});
  CHECK(summarize_targets(Dataset::open(folder / "a.h5").split("train")).empty());
}
