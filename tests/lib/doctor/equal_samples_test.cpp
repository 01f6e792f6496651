#include <octavo/duplicates.hpp>
#include <octavo/writer.hpp>

#include "catch.hpp"
#include "packed_fixture.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// Copies sample `from` of one split to sample `to` of another.
void copy_sample(const PlainSplit& from_split, std::int64_t from, PlainSplit& to_split, std::int64_t to) {
  const auto width = from_split.shape.values();
  std::copy_n(from_split.values.begin() + from * width, width, to_split.values.begin() + to * width);
}

}  // namespace

TEST_CASE("equal samples are found within and between splits regardless of labels", "[unit][doctor]") {
  const TemporaryFolder folder;
  PlainSplit train = random_split("train", 500, {3, 5, 7}, 1);  // labels are the row modulo 10
  PlainSplit test = random_split("test", 100, {3, 5, 7}, 2);
  copy_sample(train, 4, train, 14);   // the same label
  copy_sample(train, 4, train, 300);  // a different label
  copy_sample(train, 77, test, 47);   // in both splits, the same label
  write_packed(folder / "a.h5", {train, test});
  const DuplicateReport report = find_duplicates(Dataset::open(folder / "a.h5"));
  CHECK(report.sample_count == 600);
  CHECK(report.duplicate_count == 3);
  CHECK(report.group_count == 2);
  CHECK(report.between_splits_count == 1);
  CHECK(report.labels_differ_count == 1);
  REQUIRE(report.groups.size() == 2);
  CHECK(report.groups[0].samples == std::vector<SamplePlace>{{"train", 77}, {"test", 47}});
  CHECK(report.groups[1].samples == std::vector<SamplePlace>{{"train", 4}, {"train", 14}, {"train", 300}});
  CHECK(report.groups[1].labels_differ);
}

TEST_CASE("equal samples are named if the file has names", "[unit][doctor]") {
  const TemporaryFolder folder;
  WriterOptions options;
  options.splits = {{"train", {1, 1, 2}, {}, Color::gray, 2, true}};
  Writer writer(folder / "a.h5", options);
  std::vector<std::uint8_t> values = {1, 2, 1, 2};  // become codes in place
  writer.write(0, 0, values, {}, std::vector<std::string>{"one.png", "two.png"});
  writer.finish("{}");
  const auto samples = find_duplicates(Dataset::open(folder / "a.h5")).groups.at(0).samples;
  REQUIRE(samples == std::vector<SamplePlace>{{"train", 0, "one.png"}, {"train", 1, "two.png"}});
}

TEST_CASE("the same bytes in a different shape are a different sample", "[unit][doctor]") {
  const TemporaryFolder folder;
  const PlainSplit wide = random_split("train", 3, {1, 2, 3});
  PlainSplit high = wide;
  high.name = "test";
  high.shape = {1, 3, 2};
  write_packed(folder / "a.h5", {wide, high});
  REQUIRE(find_duplicates(Dataset::open(folder / "a.h5")).duplicate_count == 0);
}
