#include <octavo/spooled_source.hpp>

#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>
#include <octavo/verify.hpp>

#include "catch.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

const SourceSplit kTrain{"train", 0, {1, 2, 3}, {LabelKind::class_index, 1}, Color::gray};

std::vector<std::uint8_t> values_from(int first, int samples) {
  std::vector<std::uint8_t> values;
  for (int i = 0; i < samples * 6; ++i) values.push_back(static_cast<std::uint8_t>(first * 6 + i));
  return values;
}

void append(SpooledSource& source, const SourceSplit& split, int first, std::vector<std::int32_t> labels,
            std::vector<std::string> names = {}) {
  source.append(split, values_from(first, static_cast<int>(labels.size())), std::as_bytes(std::span(labels)), names);
}

std::size_t entries_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

}  // namespace

TEST_CASE("samples appended to alternating splits are packed in order", "[unit][pack]") {
  const TemporaryFolder folder;
  SpooledSource source(folder.path(), {"a", "b"});
  SourceSplit test = kTrain;
  test.name = "test";
  append(source, kTrain, 0, {0, 1}, {"zero", "one"});
  append(source, test, 7, {1});
  append(source, kTrain, 2, {1}, {"two"});
  REQUIRE(entries_in(folder.path()) == 0);  // no file that a killed process could leave behind
  pack(source, folder / "out.h5", {.with_names = true});

  REQUIRE(verify(folder / "out.h5").defect_count == 0);
  const Dataset dataset = Dataset::open(folder / "out.h5");
  REQUIRE(dataset.split_names() == std::vector<std::string>{"train", "test"});
  const Split train = dataset.split("train");
  REQUIRE(train.sample_count() == 3);
  std::vector<std::int8_t> codes(18);
  std::vector<std::int32_t> labels(3);
  train.read_checked(0, 3, codes, std::as_writable_bytes(std::span(labels)));
  REQUIRE(labels == std::vector<std::int32_t>{0, 1, 1});
  for (int i = 0; i < 18; ++i) REQUIRE(codes[static_cast<std::size_t>(i)] == i - 128);
  REQUIRE(train.sample_name(2) == "two");
  REQUIRE(dataset.split("test").sample_name(0) == "test#0");
}

TEST_CASE("gray samples become RGB by repeating their channel", "[unit][pack]") {
  const TemporaryFolder folder;
  SpooledSource source(folder.path(), {});
  append(source, kTrain, 0, {4, 5});
  source.convert_to_rgb("train");
  const SourceSplit& split = source.splits()[0];
  CHECK(split.shape == SampleShape{3, 2, 3});
  CHECK(split.color == Color::rgb);
  CHECK(split.sample_count == 2);
  std::vector<std::uint8_t> values(2 * 18);
  std::vector<std::byte> labels(2 * 4);
  source.read(0, 0, 2, values, labels);
  std::vector<std::uint8_t> expected;
  for (const int sample : {0, 1}) {
    for (int channel = 0; channel < 3; ++channel) {
      const auto gray = values_from(sample, 1);
      expected.insert(expected.end(), gray.begin(), gray.end());
    }
  }
  CHECK(values == expected);
  CHECK_THROWS_AS(source.convert_to_rgb("train"), InvalidArgument);
  CHECK_THROWS_AS(source.convert_to_rgb("test"), InvalidArgument);
}

TEST_CASE("a sample that does not fit is named and the others are kept", "[unit][pack]") {
  const TemporaryFolder folder;
  SpooledSource source(folder.path(), {"a", "b"});
  append(source, kTrain, 0, {0, 1});
  SourceSplit other = kTrain;
  other.shape = {1, 3, 2};
  REQUIRE_THROWS_WITH(append(source, other, 2, {0}),
                      ContainsSubstring("split train, sample 2: its shape is 1x3x2, earlier samples are 1x2x3"));
  other = kTrain;
  other.labels = {LabelKind::none, 0};
  REQUIRE_THROWS_WITH(source.append(other, values_from(0, 1), {}), ContainsSubstring("differs in kind"));
  REQUIRE_THROWS_WITH(append(source, kTrain, 2, {0, 2}), ContainsSubstring("split train, sample 3"));
  REQUIRE_THROWS_AS(append(source, kTrain, 2, {-1}), InvalidArgument);
  REQUIRE_THROWS_WITH(append(source, kTrain, 2, {0}, {"name"}), ContainsSubstring("names"));
  REQUIRE_THROWS_AS(source.append(kTrain, values_from(0, 1), {}), InvalidArgument);
  other.name = "no/name";
  REQUIRE_THROWS_AS(source.append(other, values_from(0, 1), {}), InvalidArgument);
  append(source, kTrain, 2, {1});
  REQUIRE(source.splits().size() == 1);
  REQUIRE(source.splits()[0].sample_count == 3);
}

TEST_CASE("a folder without write permission is reported immediately", "[unit][pack]") {
  REQUIRE_THROWS_AS(SpooledSource("/nowhere/at/all", {}), IoError);
}
