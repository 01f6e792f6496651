// Exporting as PNG and packing again preserves samples, labels, order and class names.
#include <nlohmann/json.hpp>
#include <octavo/export.hpp>
#include <octavo/mask_shares.hpp>
#include <octavo/pack.hpp>
#include <octavo/writer.hpp>

#include "catch.hpp"
#include "exported_file.hpp"
#include "packed_fixture.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// Exports `folder`/a.h5, packs the result, and compares.
void check_round_trip(const TemporaryFolder& folder) {
  const Dataset packed = Dataset::open(folder / "a.h5");
  export_dataset(packed, folder / "out", {.thread_count = 3});
  pack(*open_source({{folder / "out"}}, {}), folder / "b.h5");
  const Dataset again = Dataset::open(folder / "b.h5");

  CHECK(again.class_names() == packed.class_names());
  REQUIRE(again.split_names() == packed.split_names());
  for (const std::string& name : packed.split_names()) {
    CHECK(again.split(name).shape() == packed.split(name).shape());
    CHECK(again.split(name).labels() == packed.split(name).labels());
    CHECK(contents_of(again.split(name)) == contents_of(packed.split(name)));
  }
}

}  // namespace

TEST_CASE("color images in classes with difficult names survive the round trip", "[unit][export]") {
  const TemporaryFolder folder;
  // The order follows neither labels nor names. Two names differ only in replaced characters.
  write_file(folder / "a.h5",
             {{"train", 5, {3, 4, 7}, {LabelKind::class_index, 1}, bytes_of(std::vector<std::int32_t>{2, 0, 3, 0, 1})},
              {"test", 2, {3, 4, 7}, {LabelKind::class_index, 1}, bytes_of(std::vector<std::int32_t>{3, 3})}},
             {"a/b", "a_b", "..", "\xC3\xA4 \"quoted\""});
  check_round_trip(folder);
  CHECK(std::filesystem::exists(folder / "out" / "train" / "0-a_b" / "1.png"));
  CHECK(std::filesystem::exists(folder / "out" / "train" / "1-a_b" / "4.png"));
  CHECK(std::filesystem::exists(folder / "out" / "train" / "2-__" / "0.png"));
}

TEST_CASE("a single split needs no folder of its own and keeps its name", "[unit][export]") {
  const TemporaryFolder folder;
  std::vector<std::int32_t> labels(12);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int32_t>(11 - i);
  write_file(folder / "a.h5", {{"odd.name", 12, {1, 3, 3}, {LabelKind::class_index, 1}, bytes_of(labels)}});
  check_round_trip(folder);
  CHECK(std::filesystem::exists(folder / "out" / "11" / "00.png"));
}

TEST_CASE("splits keep their order and gray images without labels survive the round trip", "[unit][export]") {
  const TemporaryFolder folder;
  write_file(folder / "a.h5", {{"zebra", 3, {1, 5, 2}, {}, {}}, {"ant", 11, {1, 5, 2}, {}, {}}});
  check_round_trip(folder);
  CHECK(std::filesystem::exists(folder / "out" / "ant" / "00.png"));
}

TEST_CASE("masks survive the round trip", "[unit][export]") {
  const TemporaryFolder folder;
  write_packed(folder / "a.h5", {masked_split("train", 11, {3, 4, 7}), random_split("val", 3, {3, 4, 7})});
  check_round_trip(folder);
  CHECK(std::filesystem::exists(folder / "out" / "masks" / "train" / "3" / "03.png"));
  const auto masks_of = [&](const char* file) {
    const Split split = Dataset::open(folder / file).split("train");
    std::vector<std::uint8_t> masks(11 * 28);
    split.read_masks(0, 11, masks);
    return masks;
  };
  CHECK(masks_of("b.h5") == masks_of("a.h5"));
  CHECK_FALSE(Dataset::open(folder / "b.h5").split("val").has_masks());
}

TEST_CASE("the names of classes of masks survive the round trip", "[unit][export]") {
  const TemporaryFolder folder;
  PlainSplit split = masked_split("train", 4, {3, 4, 7});
  for (std::uint8_t& value : split.masks) value %= 2;
  WriterOptions options;
  options.splits = {{"train", split.shape, {LabelKind::class_index, 1}, Color::rgb, 4}};
  options.splits[0].has_masks = true;
  Writer writer(folder / "a.h5", options);
  writer.write(0, 0, split.values, std::as_bytes(std::span(split.labels)), {}, split.masks);
  writer.finish(R"({"notes": {"mask_classes": {"0": "road", "1": "the \"car\""}}})");
  check_round_trip(folder);
  const std::map<int, std::string> names = {{0, "road"}, {1, "the \"car\""}};
  CHECK(mask_class_names(Dataset::open(folder / "b.h5")) == names);
}

TEST_CASE("columns survive the round trip", "[unit][export]") {
  const TemporaryFolder folder;
  WriterOptions options;
  options.splits = {{"train", {1, 1, 2}, {LabelKind::class_index, 1}, Color::gray, 3},
                    {"test", {1, 1, 2}, {LabelKind::class_index, 1}, Color::gray, 1}};
  Writer writer(folder / "a.h5", options);
  std::vector<std::uint8_t> values = {1, 2, 3, 4, 5, 6};
  // The folders of the classes are in another order than the samples.
  writer.write(0, 0, values, bytes_of(std::vector<std::int32_t>{2, 0, 1}));
  values = {7, 8};
  writer.write(1, 0, values, bytes_of(std::vector<std::int32_t>{1}));
  const std::string columns = R"({"note":["a \"b\"","",null],"age":[1,2.5,null],"box":[{"x":[1,{}]},[],"\u00e4"]})";
  writer.set_columns(0, columns);
  writer.finish("{}");
  check_round_trip(folder);
  const Dataset again = Dataset::open(folder / "b.h5");
  CHECK(again.split("train").columns() == std::vector<std::string>{"note", "age", "box"});
  CHECK(nlohmann::json::parse(again.split("train").metadata()) == nlohmann::json::parse(columns));
  CHECK(again.split("test").columns().empty());
}

TEST_CASE("multi-labels and targets survive the round trip", "[unit][export]") {
  const TemporaryFolder folder;
  write_file(
      folder / "a.h5",
      {{"train", 2, {1, 2, 2}, {LabelKind::multi_label, 3}, bytes_of(std::vector<std::int32_t>{0, 1, 1, 0, 0, 0})},
       {"val", 3, {1, 2, 2}, {LabelKind::target, 1}, bytes_of(std::vector<float>{0.1f, -0.0f, 1e-42f})},
       {"test", 2, {1, 2, 2}, {LabelKind::target, 2}, bytes_of(std::vector<float>{1.0f, 2.0f, 3e38f, 0.0f})}});
  check_round_trip(folder);
}
