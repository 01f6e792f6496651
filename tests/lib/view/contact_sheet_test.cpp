// Contact sheets of stored samples and of batches.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <octavo/errors.hpp>
#include <octavo/order.hpp>
#include <octavo/view.hpp>
#include <octavo/writer.hpp>

#include "catch.hpp"
#include "images/png/png_decoder.hpp"
#include "images/png/png_header.hpp"
#include "support/file.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

constexpr std::int64_t kCount = 10;

/// One-pixel samples: sample r has the value 20 * r.
Dataset write_dots(const std::filesystem::path& path) {
  WriterOptions options;
  options.splits = {{.name = "train", .shape = {1, 1, 1}, .labels = {}, .color = Color::gray, .row_capacity = kCount}};
  Writer writer(path, options);
  std::vector<std::uint8_t> values;
  for (int row = 0; row < kCount; ++row) values.push_back(static_cast<std::uint8_t>(20 * row));
  writer.write(0, 0, values, {});
  writer.finish("{}");
  return Dataset::open(path);
}

/// The same samples with the classes cat, dog, owl, cat, ...; none has class "7".
Dataset write_pets(const std::filesystem::path& path) {
  WriterOptions options;
  options.class_names = {"cat", "dog", "owl", "7"};
  options.splits = {{.name = "train",
                     .shape = {1, 1, 1},
                     .labels = {LabelKind::class_index, 1},
                     .color = Color::gray,
                     .row_capacity = kCount}};
  Writer writer(path, options);
  std::vector<std::uint8_t> values;
  std::vector<std::int32_t> labels;
  for (int row = 0; row < kCount; ++row) {
    values.push_back(static_cast<std::uint8_t>(20 * row));
    labels.push_back(row % 3);
  }
  writer.write(0, 0, values, std::as_bytes(std::span(labels)));
  writer.finish("{}");
  return Dataset::open(path);
}

/// The pixels of a sheet with one row of `count` cells.
std::vector<int> dots_on(const std::filesystem::path& path, std::int64_t count) {
  const std::string file = read_whole_file(path, 1 << 20);
  const auto bytes = std::as_bytes(std::span(file));
  images::Pixels pixels = images::decode_png(bytes, images::parse_png_header(images::FileBytes(bytes)), {});
  REQUIRE(pixels.width == 2 * count + 1);
  REQUIRE(pixels.height == 3);
  std::vector<int> dots;
  for (std::int64_t i = 0; i < count; ++i) dots.push_back(pixels.row(1)[2 * i + 1]);
  return dots;
}

std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("stored samples are drawn unchanged", "[unit][view]") {
  const TemporaryFolder folder;
  const Dataset dataset = write_dots(folder / "a.h5");
  write_contact_sheet(dataset, folder / "sheet.png", {.count = 3, .first = 4, .columns = 3, .scale = 1});
  CHECK(dots_on(folder / "sheet.png", 3) == std::vector<int>{80, 100, 120});
  std::filesystem::permissions(folder / "sheet.png", std::filesystem::perms{0600});
  // Near the end, fewer samples are available than requested.
  write_contact_sheet(dataset, folder / "sheet.png",
                      {.count = 5, .first = 8, .columns = 5, .scale = 1, .replace_existing = true});
  CHECK(dots_on(folder / "sheet.png", 2) == std::vector<int>{160, 180});
  CHECK(names_in(folder) == std::vector<std::string>{"a.h5", "sheet.png"});
  CHECK(std::filesystem::status(folder / "sheet.png").permissions() == std::filesystem::perms{0600});
}

TEST_CASE("a batch is drawn in the order of its epoch with its values", "[unit][view]") {
  const TemporaryFolder folder;
  const Dataset dataset = write_dots(folder / "a.h5");
  write_contact_sheet(dataset, folder / "sheet.png",
                      {.count = 100,
                       .columns = 4,
                       .scale = 1,
                       .batch = 1,
                       .epoch = 3,
                       .loader = {.batch_size = 4, .shuffle = true, .seed = 7}});
  std::vector<int> expected;
  for (std::int64_t position = 4; position < 8; ++position) {
    expected.push_back(static_cast<int>(20 * shuffled_sample(7, 3, position, kCount)));
  }
  CHECK(dots_on(folder / "sheet.png", 4) == expected);
}

TEST_CASE("without shuffling a batch is in file order and the last one may be short", "[unit][view]") {
  const TemporaryFolder folder;
  const Dataset dataset = write_dots(folder / "a.h5");
  ContactSheetOptions options = {.count = 100, .columns = 4, .scale = 1, .batch = 2, .loader = {.batch_size = 4}};
  write_contact_sheet(dataset, folder / "sheet.png", options);
  CHECK(dots_on(folder / "sheet.png", 2) == std::vector<int>{160, 180});
  options.batch = 3;
  options.replace_existing = true;
  CHECK_THROWS_WITH(write_contact_sheet(dataset, folder / "sheet.png", options), ContainsSubstring("an epoch has 3"));
}

TEST_CASE("every normalization and type gives the same picture", "[unit][view]") {
  const TemporaryFolder folder;
  const Dataset dataset = write_dots(folder / "a.h5");
  const Store store = Store::load(dataset.split("train"), Device::cpu());
  ContactSheetOptions options = {.columns = 4, .scale = 1, .batch = 0, .loader = {.batch_size = 4}};
  const auto expected = draw_batch(store, options);
  for (const char* const preset : {"unit", "standard"}) {
    options.loader.spec = BatchSpec::preset(preset);
    options.loader.spec.dtype = DType::bfloat16;
    CHECK(draw_batch(store, options) == expected);
  }
  options.loader.spec = {.center = Center::pixel};
  CHECK(draw_batch(store, options) == expected);
  // Only the differences to the mean are known: 0, 20, 40, 60 become 0, 85, 170, 255.
  options.loader.spec = {.center = Center::batch};
  CHECK(draw_batch(store, options) != expected);
}

TEST_CASE("augmented images and their views are drawn", "[unit][view]") {
  const TemporaryFolder folder;
  const Dataset dataset = write_dots(folder / "a.h5");
  ContactSheetOptions options = {.columns = 4, .scale = 1, .batch = 1, .loader = {.batch_size = 2}};
  options.loader.spec.augment = {augment::Invert{.probability = 1.0}};
  options.loader.spec.views = 2;
  write_contact_sheet(dataset, folder / "sheet.png", options);
  CHECK(dots_on(folder / "sheet.png", 4) == std::vector<int>{215, 215, 195, 195});
}

TEST_CASE("chosen samples are drawn in the given order", "[unit][view]") {
  const TemporaryFolder folder;
  const Dataset dataset = write_dots(folder / "a.h5");
  write_contact_sheet(dataset, folder / "sheet.png", {.indices = {7, 1, 2, 3, 7}, .columns = 5, .scale = 1});
  CHECK(dots_on(folder / "sheet.png", 5) == std::vector<int>{140, 20, 40, 60, 140});
  const Split split = dataset.split("train");
  CHECK_THROWS_WITH(draw_samples(split, {.indices = {0, 10}}),
                    ContainsSubstring("show sample 10: split train has 10 samples, counted from 0"));
  CHECK_THROWS_AS(draw_samples(split, {.indices = {-1}}), InvalidArgument);
}

TEST_CASE("the samples of classes are drawn", "[unit][view]") {
  const TemporaryFolder folder;
  const Dataset dataset = write_pets(folder / "a.h5");
  const Split split = dataset.split("train");
  using Indices = std::vector<std::int64_t>;
  CHECK(shown_indices(split, {.classes = {1}}) == Indices{1, 4, 7});
  CHECK(shown_indices(split, {.count = 3, .first = 2, .classes = {2, 0}}) == Indices{2, 3, 5});
  write_contact_sheet(dataset, folder / "sheet.png", {.classes = {1}, .columns = 3, .scale = 1, .captions = false});
  CHECK(dots_on(folder / "sheet.png", 3) == std::vector<int>{20, 80, 140});
  CHECK_THROWS_WITH(shown_indices(split, {.first = 8, .classes = {1}}),
                    ContainsSubstring("split train has none from index 8 on"));
  CHECK_THROWS_WITH(shown_indices(split, {.classes = {3}}), ContainsSubstring("split train has none; choose"));
  CHECK_THROWS_WITH(shown_indices(split, {.classes = {1}, .indices = {1}}), ContainsSubstring("both"));
  const Dataset unlabeled = write_dots(folder / "b.h5");
  CHECK_THROWS_WITH(shown_indices(unlabeled.split("train"), {.classes = {1}}),
                    ContainsSubstring("the labels of split train are not classes"));
}

TEST_CASE("a class is found by its name before its number", "[unit][view]") {
  const TemporaryFolder folder;
  const Dataset dataset = write_pets(folder / "a.h5");
  const Split split = dataset.split("train");
  CHECK(find_class(split, "dog") == 1);
  CHECK(find_class(split, "2") == 2);
  CHECK(find_class(split, "7") == 3);  // the name of class 3
  CHECK_THROWS_WITH(find_class(split, "foo"), ContainsSubstring("unknown class \"foo\" of split train; expected cat, "
                                                                "dog, owl or 7"));
  CHECK_THROWS_AS(find_class(split, "4"), InvalidArgument);
  CHECK_THROWS_AS(find_class(split, "-1"), InvalidArgument);
  CHECK_THROWS_AS(find_class(split, ""), InvalidArgument);
}

TEST_CASE("sheets have captions only if the class names are known", "[unit][view]") {
  const TemporaryFolder folder;
  const Dataset named = write_pets(folder / "a.h5"), unnamed = write_dots(folder / "b.h5");
  const ContactSheetOptions with = {.columns = 4, .scale = 9}, without = {.columns = 4, .scale = 9, .captions = false};
  CHECK(draw_samples(unnamed.split("train"), with) == draw_samples(unnamed.split("train"), without));
  CHECK(draw_samples(named.split("train"), without) == draw_samples(unnamed.split("train"), without));
  CHECK(draw_samples(named.split("train"), with) != draw_samples(named.split("train"), without));
}

TEST_CASE("a batch has the captions of its samples", "[unit][view]") {
  const TemporaryFolder folder;
  const Dataset dataset = write_pets(folder / "a.h5");
  const Store store = Store::load(dataset.split("train"), Device::cpu());
  ContactSheetOptions options = {.columns = 2, .scale = 30, .batch = 3, .loader = {.batch_size = 2, .shuffle = true}};
  std::vector<std::int64_t> indices;
  for (const std::int64_t position : {6, 7}) indices.push_back(shuffled_sample(0, 0, position, kCount));
  const std::vector<std::byte> of_samples =
      draw_samples(dataset.split("train"), {.indices = indices, .columns = 2, .scale = 30});
  CHECK(draw_batch(store, options) == of_samples);
  // Label smoothing changes labels, not the classes of the samples.
  options.loader.spec.soft_classes = 4;
  options.loader.spec.label_smoothing = 0.1;
  CHECK(draw_batch(store, options) == of_samples);
  // Each view has the caption of its sample.
  options.loader.spec.views = 2;
  options.columns = 4;
  options.count = 1;
  CHECK(draw_batch(store, options) ==
        draw_samples(dataset.split("train"), {.indices = {indices[0], indices[0]}, .columns = 4, .scale = 30}));
  // Mixed samples have several classes.
  options.loader.spec.views = 1;
  options.loader.spec.mix = augment::Mix{.mixup_alpha = 1.0};
  const auto mixed = draw_batch(store, options);
  options.captions = false;
  CHECK(draw_batch(store, options) == mixed);
}

TEST_CASE("samples and splits and paths that do not exist are refused", "[unit][view]") {
  const TemporaryFolder folder;
  const Dataset dataset = write_dots(folder / "a.h5");
  CHECK_THROWS_AS(write_contact_sheet(dataset, folder / "s.png", {.count = 0}), InvalidArgument);
  CHECK_THROWS_AS(write_contact_sheet(dataset, folder / "s.png", {.first = kCount}), InvalidArgument);
  CHECK_THROWS_AS(write_contact_sheet(dataset, folder / "s.png", {.split = "test"}), InvalidArgument);
  CHECK_THROWS_AS(write_contact_sheet(dataset, folder.path(), {}), InvalidArgument);
  CHECK_THROWS_AS(write_contact_sheet(dataset, folder / "s.jpg", {}), InvalidArgument);
  CHECK_THROWS_AS(write_contact_sheet(dataset, folder / "none" / "s.png", {}), IoError);
  CHECK(names_in(folder) == std::vector<std::string>{"a.h5"});
}

TEST_CASE("samples of multi-labels and targets are chosen by class and have captions", "[unit][view]") {
  const TemporaryFolder folder;
  WriterOptions options;
  options.class_names = {"cat", "dog", "owl"};
  options.splits = {{.name = "tags",
                     .shape = {1, 8, 64},
                     .labels = {LabelKind::multi_label, 3},
                     .color = Color::gray,
                     .row_capacity = 3},
                    {.name = "heights",
                     .shape = {1, 8, 64},
                     .labels = {LabelKind::target, 2},
                     .color = Color::gray,
                     .row_capacity = 1}};
  Writer writer(folder / "a.h5", options);
  std::vector<std::uint8_t> values(3 * 512, 7);
  const std::vector<std::int32_t> tags = {1, 1, 0, 0, 0, 0, 0, 1, 0};
  const std::vector<float> targets = {0.5F, 12.0F};
  writer.write(0, 0, values, std::as_bytes(std::span(tags)));
  writer.write(1, 0, std::span(values).first(512), std::as_bytes(std::span(targets)));
  writer.finish("{}");
  const Dataset dataset = Dataset::open(folder / "a.h5");
  const Split split = dataset.split("tags"), heights = dataset.split("heights");
  CHECK(shown_indices(split, {.classes = {find_class(split, "dog")}}) == std::vector<std::int64_t>{0, 2});
  CHECK(shown_indices(split, {.classes = {0, 1}}) == std::vector<std::int64_t>{0, 2});
  CHECK_THROWS_WITH(shown_indices(split, {.classes = {2}}), ContainsSubstring("split tags has none"));
  CHECK_THROWS_WITH(shown_indices(split, {.classes = {3}}), ContainsSubstring("unknown class \"3\""));
  CHECK_THROWS_WITH(find_class(heights, "0"), ContainsSubstring("are not classes"));
  CHECK(label_text(split, 0) == "cat, dog");
  CHECK(label_text(split, 1).empty());
  CHECK(label_text(heights, 0) == "0.5, 12");
  CHECK(draw_samples(split, {.captions = true}).size() != draw_samples(split, {.captions = false}).size());
  CHECK(draw_samples(heights, {.captions = true}).size() != draw_samples(heights, {.captions = false}).size());
}
