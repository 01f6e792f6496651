#include "sources/combine/chosen_source.hpp"

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "made_files.hpp"
#include "sources/choice/class_holdout.hpp"
#include "sources/choice/glob.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// 200 gray one-pixel images whose value is their number, labeled with its last digit.
void write_numbers(const TemporaryFolder& folder, bool is_compressed) {
  const std::string images = idx({200, 1, 1}, counting(200));
  std::string labels;
  for (int i = 0; i < 200; ++i) labels += static_cast<char>(i % 10);
  write_file(folder / (is_compressed ? "train-images-idx3-ubyte.gz" : "train-images-idx3-ubyte"),
             is_compressed ? gzipped(images) : images);
  write_file(folder / "train-labels-idx1-ubyte", idx({200}, labels));
}

}  // namespace

TEST_CASE("a limit takes the first samples of each split", "[unit][pack]") {
  const TemporaryFolder folder;
  write_numbers(folder, true);
  const auto source = open(folder.path(), {.limit = 3});
  REQUIRE(source->splits()[0].sample_count == 3);
  REQUIRE(read_all(*source).values == std::vector<std::uint8_t>{0, 1, 2});
  REQUIRE(open(folder.path(), {.limit = 1000})->splits()[0].sample_count == 200);
  REQUIRE_THROWS_AS(open(folder.path(), {.limit = 0}), InvalidArgument);
}

TEST_CASE("a limit that drops classes is noted", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* const name : {"cat/1", "cat/2", "cat/3", "dog/1", "dog/2", "emu/1"}) {
    write_file(folder / (std::string(name) + ".png"), gray_png(1));
  }
  const auto noted = [&](std::int64_t limit) { return open(folder.path(), {.limit = limit})->notes().remarks; };
  CHECK_THAT(noted(2).at(0),
             ContainsSubstring("train: limited to the first 2 samples, of the class \"cat\", of 3 in all"));
  CHECK_THAT(noted(4).at(0), ContainsSubstring("train: limited to the first 4 samples, of 2 classes, of 3 in all"));
  CHECK(noted(1).empty());
  CHECK(noted(6).empty());
}

TEST_CASE("a selection keeps classes that match by name or by number", "[unit][pack]") {
  const TemporaryFolder folder;
  write_numbers(folder, false);
  const std::vector<std::string> names = {"zero", "one", "two",   "three", "four",
                                          "five", "six", "seven", "eight", "nine"};
  const auto source = open(folder.path(), {.class_names = names, .select = "t*"});
  REQUIRE(source->splits()[0].sample_count == 40);
  const Samples samples = read(*source, 0, 1, 3);
  REQUIRE(samples.values == std::vector<std::uint8_t>{3, 12, 13});
  REQUIRE(samples.labels == std::vector<std::int32_t>{3, 2, 3});
  REQUIRE(source->sample_name(0, 1) == "train-images-idx3-ubyte#3");
  REQUIRE(source->class_index(0, 1) == 3);
  REQUIRE(open(folder.path(), {.select = "[37]"})->splits()[0].sample_count == 40);
  REQUIRE_THROWS_WITH(open(folder.path(), {.select = "none"}), ContainsSubstring("select \"none\""));
}

TEST_CASE("a holdout splits train in two and the same way for plain and gzip files", "[unit][pack]") {
  const TemporaryFolder plain, compressed;
  write_numbers(plain, false);
  write_numbers(compressed, true);
  const SourceOptions options = {.holdout = 0.25, .seed = 7};
  const auto source = open(plain.path(), options);
  REQUIRE(source->splits()[0].name == "train");
  REQUIRE(source->splits()[1].name == "val");
  std::vector<bool> seen(200);
  for (const std::size_t split : {0, 1}) {
    const Samples samples = read_all(*source, split);
    for (const std::uint8_t value : samples.values) {
      REQUIRE_FALSE(seen[value]);
      seen[value] = true;
    }
    REQUIRE(std::is_sorted(samples.values.begin(), samples.values.end()));
    REQUIRE(read_all(*open(compressed.path(), options), split).values == samples.values);
  }
  REQUIRE(std::count(seen.begin(), seen.end(), true) == 200);
  REQUIRE(read_all(*open(plain.path(), {.holdout = 0.25, .seed = 8}), 1).values != read_all(*source, 1).values);
}

TEST_CASE("a holdout takes the same fraction of each class", "[unit][pack]") {
  using Counts = std::vector<std::int64_t>;
  const auto counts = [](const Counts& sizes, double share) { return sources::stratified_counts(sizes, share); };
  CHECK(counts({24, 24}, 0.25) == Counts{6, 6});
  // 0.2 of 14, 5 and 4 is 2.8, 1 and 0.8, of all 23 it is 4.6, so 5.
  CHECK(counts({14, 5, 4}, 0.2) == Counts{3, 1, 1});
  // One tenth of 50 samples is 5, and no class comes before the others except by its number.
  CHECK(counts(Counts(10, 5), 0.1) == Counts{1, 1, 1, 1, 1, 0, 0, 0, 0, 0});
  CHECK(counts({1, 1, 8}, 0.5) == Counts{0, 0, 5});  // the last sample of a class stays
  CHECK(counts({2}, 0.99) == Counts{1});
  CHECK(counts({7, 3}, 0.0) == Counts{0, 0});
  CHECK(counts({}, 0.5).empty());

  const TemporaryFolder folder;
  for (int i = 0; i < 24; ++i) {
    const auto value = static_cast<std::uint8_t>(i);
    const std::string bytes = made_png({.width = 1, .rows = {value}});
    write_file(folder / ("cats/" + std::to_string(i) + ".png"), bytes);
    if (i < 12) write_file(folder / ("dogs/" + std::to_string(i) + ".png"), bytes);
  }
  const auto source = open(folder.path(), {.holdout = 0.25});
  std::vector<int> held_out(2);
  for (std::int64_t row = 0; row < source->splits()[1].sample_count; ++row) {
    ++held_out[static_cast<std::size_t>(source->class_index(1, row).value())];
  }
  CHECK(held_out == std::vector<int>{6, 3});
}

TEST_CASE("which samples a holdout takes is part of the contract", "[unit][pack]") {
  const TemporaryFolder folder;
  write_numbers(folder, false);
  using Values = std::vector<std::uint8_t>;
  // XXH3-64 of the row number in decimal, seed 7, by the Python package xxhash: the smallest of each class.
  CHECK(read_all(*open(folder.path(), {.holdout = 0.05, .seed = 7}), 1).values ==
        Values{8, 49, 54, 57, 60, 61, 143, 152, 185, 186});
  // The rows by class, then by that hash: every 40th, from the number of the fold on.
  const auto fold = [&](std::int64_t number) {
    return read_all(*open(folder.path(), {.holdout = Holdout::of_fold(number, 40), .seed = 7}), 1).values;
  };
  CHECK(fold(0) == Values{8, 54, 60, 152, 186});
  CHECK(fold(3) == Values{14, 38, 110, 136, 182});
  CHECK(fold(39) == Values{13, 17, 21, 99, 145});
}

TEST_CASE("a selection comes before the holdout, and the limit after it", "[unit][pack]") {
  const TemporaryFolder folder;
  write_numbers(folder, false);
  const Holdout half = Holdout::of_fold(0, 2);
  const auto whole = open(folder.path(), {.select = "3", .holdout = half});
  const auto limited = open(folder.path(), {.select = "3", .limit = 4, .holdout = half});
  for (const std::size_t split : {0, 1}) {
    auto first = read_all(*whole, split).values;
    REQUIRE(first.size() == 10);
    first.resize(4);
    CHECK(read_all(*limited, split).values == first);
  }
}

TEST_CASE("a larger holdout includes a smaller one", "[unit][pack]") {
  const TemporaryFolder folder;
  write_numbers(folder, false);
  const auto small = read_all(*open(folder.path(), {.holdout = 0.1, .seed = 3}), 1).values;
  const auto large = read_all(*open(folder.path(), {.holdout = 0.2, .seed = 3}), 1).values;
  CHECK(small.size() == 20);
  CHECK(large.size() == 40);
  CHECK(std::ranges::includes(large, small));
}

TEST_CASE("selection of a folder depends only on each path, and its holdout on their order of hashes", "[unit][pack]") {
  const TemporaryFolder few, many;
  const auto write = [](const TemporaryFolder& folder, int from) {
    for (int i = from; i < 60; ++i) {
      const auto value = static_cast<std::uint8_t>(i);
      write_file(folder / ("c/" + std::to_string(i) + ".png"), made_png({.width = 1, .rows = {value}}));
    }
  };
  write(few, 20), write(many, 0);
  REQUIRE(open(many.path(), {.select = "c/1?.png"})->splits()[0].sample_count == 10);
  const SourceOptions options = {.holdout = 0.5};
  const auto of_many = read_all(*open(many.path(), options), 1).values;
  const auto of_few = read_all(*open(few.path(), options), 1).values;
  CHECK(of_many.size() == 30);
  CHECK(of_few.size() == 20);
  // Both take the smallest hashes: what only one of them takes is between two thresholds, so it is in one of them.
  std::vector<std::uint8_t> only_in_many, only_in_few;
  std::ranges::set_difference(of_many, of_few, std::back_inserter(only_in_many));
  std::ranges::set_difference(of_few, of_many, std::back_inserter(only_in_few));
  std::erase_if(only_in_many, [](std::uint8_t value) { return value < 20; });
  CHECK((only_in_many.empty() || only_in_few.empty()));
}

TEST_CASE("a holdout keeps the lines of a list that name one image together", "[unit][pack]") {
  const TemporaryFolder folder;
  std::string list = "path,label\n", single = list;
  for (int i = 0; i < 20; ++i) {
    const std::string name = std::to_string(i) + ".png";
    write_file(folder / name, made_png({.width = 1, .rows = {static_cast<std::uint8_t>(i)}}));
    single += name + (i < 10 ? ",cat\n" : ",dog\n");
    // Each image has a line of the other class, and one more of its own.
    list += name + (i < 10 ? ",cat\n" : ",dog\n") + name + (i < 10 ? ",dog\n" : ",cat\n");
    list += name + (i < 10 ? ",cat\n" : ",dog\n");
  }
  write_file(folder / "list.csv", list);
  write_file(folder / "single.csv", single);
  const SourceOptions options = {.holdout = 0.3, .seed = 5};
  const auto source = open(folder / "list.csv", options);
  const auto train = read_all(*source, 0), val = read_all(*source, 1);
  // Three images of the ten of each class, with three lines each.
  CHECK(train.values.size() == 42);
  CHECK(val.values.size() == 18);
  for (const std::uint8_t value : val.values) CHECK(std::ranges::count(train.values, value) == 0);
  // They are the images that are held out if each has one line.
  auto images = val.values;
  images.erase(std::unique(images.begin(), images.end()), images.end());
  CHECK(images == read_all(*open(folder / "single.csv", options), 1).values);
}

TEST_CASE("an impossible holdout is refused", "[unit][pack]") {
  const TemporaryFolder folder;
  write_numbers(folder, false);
  REQUIRE_THROWS_AS(open(folder.path(), {.holdout = 1.0}), InvalidArgument);
  REQUIRE_THROWS_AS(open(folder.path(), {.holdout = -0.1}), InvalidArgument);
  REQUIRE_THROWS_WITH(open(folder.path(), {.holdout = 1e-12}), ContainsSubstring("would be empty"));
  REQUIRE_THROWS_WITH(open_source({{folder.path(), "test"}}, {.holdout = 0.5}),
                      ContainsSubstring("no split \"train\""));
}

TEST_CASE("arrays are resized and converted to RGB like image files", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a-idx3-ubyte", idx({1, 1, 4}, std::string{0, 80, '\xA0', '\xF0'}));
  const auto source =
      open_source({{folder / "a-idx3-ubyte", ""}}, {.size = {{1, 2}}, .fit = Fit::stretch, .channels = 3});
  REQUIRE(source->splits()[0].shape == SampleShape{3, 1, 2});
  REQUIRE(source->splits()[0].color == Color::rgb);
  // See the tests of resize().
  REQUIRE(read_all(*source).values == std::vector<std::uint8_t>{57, 183, 57, 183, 57, 183});
  REQUIRE_THAT(to_json(source->notes()), ContainsSubstring("\"size\":\"1x2\""));
}

TEST_CASE("glob patterns match whole names", "[unit][pack]") {
  using sources::matches_glob;
  REQUIRE(matches_glob("c?t", "cat"));
  REQUIRE(matches_glob("*.png", "a/b/c.png"));
  REQUIRE(matches_glob("[a-c]at", "bat"));
  REQUIRE_FALSE(matches_glob("cat", "cats"));
}
