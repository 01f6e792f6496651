// Counting the pixels of masks.
#include <octavo/mask_shares.hpp>

#include <algorithm>
#include <octavo/writer.hpp>

#include "catch.hpp"
#include "packed_fixture.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// 100 samples of 2x2 pixels; the mask of sample i has three pixels of i % 2, and one to ignore.
Dataset write_masks(const std::filesystem::path& path) {
  PlainSplit split = masked_split("train", 100, {3, 2, 2});
  for (std::size_t i = 0; i < split.masks.size(); ++i) {
    split.masks[i] = i % 4 == 3 ? std::uint8_t{255} : static_cast<std::uint8_t>(i / 4 % 2);
  }
  write_packed(path, {split, random_split("test", 10, {3, 2, 2})});
  return Dataset::open(path);
}

}  // namespace

TEST_CASE("the pixels of masks are counted by value", "[unit][masks]") {
  const TemporaryFolder folder;
  const Dataset dataset = write_masks(folder / "a.h5");
  const MaskCounts counts = count_mask_pixels(dataset.split("train"));
  CHECK(counts.sample_count == 100);
  CHECK(counts.pixel_count() == 400);
  CHECK(counts.pixels[0] == 150);
  CHECK(counts.pixels[1] == 150);
  CHECK(counts.pixels[255] == 100);
  CHECK(counts.class_count() == 2);
  CHECK(mask_bytes(dataset.split("train")) == 400);
  CHECK(mask_bytes(dataset.split("test")) == 0);
  CHECK(count_mask_pixels(dataset.split("test")).pixel_count() == 0);
}

TEST_CASE("of many masks, those of samples that are spread evenly are counted", "[unit][masks]") {
  const TemporaryFolder folder;
  PlainSplit split = masked_split("train", 100, {1, 2, 2});
  for (std::size_t i = 0; i < split.masks.size(); ++i) split.masks[i] = static_cast<std::uint8_t>(i / 4);
  write_packed(folder / "a.h5", {split});
  // 43 bytes are the masks of ten samples: 0, 10, 20, ...
  const MaskCounts counts = count_mask_pixels(Dataset::open(folder / "a.h5").split("train"), 43);
  CHECK(counts.sample_count == 10);
  for (std::size_t value = 0; value < 100; ++value) CHECK(counts.pixels[value] == (value % 10 == 0 ? 4 : 0));
}

TEST_CASE("shares are of all pixels and have the names of classes", "[unit][masks]") {
  const TemporaryFolder folder;
  const auto shares = shares_of(count_mask_pixels(write_masks(folder / "a.h5").split("train")), {{1, "car"}});
  REQUIRE(shares.size() == 3);
  CHECK(shares[1].share == 0.375);
  CHECK(to_text(shares[0]) == "0");
  CHECK(to_text(shares[1]) == "1 car");
  CHECK(to_text(shares[2]) == "255 ignored");
  CHECK(percent_text(shares[2].share) == "25.0 %");
  CHECK(percent_text(0.0001) == "<0.1 %");
  CHECK(percent_text(0) == "0.0 %");
}

TEST_CASE("names of mask classes are read from the provenance, also of files that a file was made from",
          "[unit][masks]") {
  const TemporaryFolder folder;
  const auto names_in = [&](const std::string& provenance) {
    WriterOptions options;
    options.splits = {{.name = "train", .shape = {1, 1, 1}, .labels = {}, .color = Color::gray, .row_capacity = 1}};
    options.replace_existing = true;
    Writer writer(folder / "a.h5", options);
    std::vector<std::uint8_t> values = {1};
    writer.write(0, 0, values, {});
    writer.finish(provenance);
    return mask_class_names(Dataset::open(folder / "a.h5"));
  };
  using NameMap = std::map<int, std::string>;
  CHECK(names_in("{}").empty());
  CHECK(names_in(R"({"notes": {"mask_classes": {"0": "road", "7": "car", "x": "no", "256": "no", "3": 4}}})") ==
        NameMap{{0, "road"}, {7, "car"}});
  CHECK(names_in(R"({"notes": {"made from b.h5": {"notes": {"mask_classes": {"0": "road"}}}}})") ==
        NameMap{{0, "road"}});
}

namespace {

/// The masks of a split: one pixel of each value.
SplitMaskCounts counts_of(const std::string& split, const std::vector<std::uint8_t>& values) {
  SplitMaskCounts of_split = {split, {}};
  of_split.counts.add(values);
  return of_split;
}

std::vector<std::uint8_t> values_up_to(int last) {
  std::vector<std::uint8_t> values;
  for (int value = 0; value <= last; ++value) values.push_back(static_cast<std::uint8_t>(value));
  return values;
}

std::string problem_of(const std::vector<SplitMaskCounts>& splits, const std::map<int, std::string>& names = {}) {
  const auto problem = find_mask_value_problem(splits, names);
  return problem ? problem->what : "";
}

}  // namespace

TEST_CASE("values of masks that are probably no class numbers are found", "[unit][masks]") {
  CHECK(problem_of({counts_of("train", {0, 255}), counts_of("val", {255}), counts_of("test", {0, 1})}) ==
        "masks of train and val have only the values 0 and 255, and 255 is ignored in training");
  CHECK(problem_of({counts_of("train", {0, 128})}) ==
        "masks have the values 0 and 128, which are class numbers, so a model needs 129 outputs");
  CHECK(problem_of({counts_of("train", {0, 128, 255})}) ==
        "masks have the values 0, 128 and 255, which are class numbers, so a model needs 129 outputs, and 255 is "
        "ignored in training");
  CHECK(problem_of({counts_of("train", {1, 2, 4, 5, 6, 7, 8, 9, 10, 255})}) ==
        "masks have 9 values up to 10, which are class numbers, so a model needs 11 outputs, and 255 is ignored in "
        "training");
  CHECK(problem_of({counts_of("train", values_up_to(254))}) ==
        "masks have 255 values up to 254, so they look like gray images, not classes");
}

TEST_CASE("the remedy of gaps in the values of masks numbers the colors", "[unit][masks]") {
  const auto remedy_of = [](const std::vector<std::uint8_t>& values, bool are_padded) {
    return find_mask_value_problem({counts_of("train", values)}, {}, are_padded)->remedy;
  };
  const std::string start = "for classes that are numbered from 0, map the colors with `mask_colors`";
  CHECK(remedy_of({1, 2}, false) == start + " (of gray masks: lines 1,1,1,0 and 2,2,2,1)");
  CHECK(remedy_of({0, 128, 255}, false) == start +
                                               " (of gray masks: lines 0,0,0,0 and 128,128,128,1 and 255,255,255,2, "
                                               "or 255 as the class to ignore it)");
  CHECK(remedy_of({0, 128, 255}, true) == start + " (of gray masks: lines 0,0,0,0 and 128,128,128,1)");
  CHECK(remedy_of({1, 2, 4, 5, 6, 7, 8, 9, 10}, false) == start);
}

TEST_CASE("pixels of masks that training ignores are described", "[unit][masks]") {
  CHECK_FALSE(describe_ignored_pixels({counts_of("train", {0, 1})}, true));
  const std::vector<SplitMaskCounts> splits = {counts_of("train", {0, 1, 255}), counts_of("val", {0})};
  CHECK(describe_ignored_pixels(splits, false) ==
        "masks are 255, which is ignored in training, in 25.0 % of the pixels; for a class, map the color with "
        "`mask_colors`");
  CHECK_THAT(describe_ignored_pixels(splits, true).value(), ContainsSubstring("of the pixels, padding included; for"));
}

TEST_CASE("values of masks that are classes are no problem", "[unit][masks]") {
  CHECK(problem_of({counts_of("train", {0, 1, 255})}).empty());
  CHECK(problem_of({counts_of("train", {0})}).empty());
  CHECK(problem_of({counts_of("train", values_up_to(181))}).empty());
  CHECK(problem_of({}).empty());
  // A split may lack a class that another split or a list of names has.
  CHECK(problem_of({counts_of("train", {0, 1, 2}), counts_of("val", {0, 2})}).empty());
  CHECK(problem_of({counts_of("train", {0, 2})}, {{0, "road"}, {1, "car"}, {2, "sky"}, {3, "tree"}}).empty());
  CHECK(problem_of({counts_of("train", {0, 255})}, {{0, "road"}, {1, "car"}}).empty());
}

TEST_CASE("of many classes of masks, those with the most pixels are listed", "[unit][masks]") {
  SplitMaskCounts split = counts_of("train", values_up_to(254));
  split.counts.add(std::vector<std::uint8_t>{255, 255, 250, 250});
  const auto listed = listed_shares(shares_of(split.counts, {}));
  REQUIRE(listed.size() == kMostListedMaskClasses);
  CHECK(listed.front().value == 0);
  CHECK(listed[18].value == 250);
  CHECK(listed.back().value == 255);
  CHECK(std::ranges::is_sorted(listed, {}, &MaskShare::value));
}
