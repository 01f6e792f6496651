#include "sources/lists/export_index.hpp"

#include <cstring>
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;
using sources::read_export_index;

TEST_CASE("octavo.json restores order and labels and class names and splits", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "0-cat/1.png", made_png({.width = 1, .rows = {11}}));
  write_file(folder / "1-dog/0.png", made_png({.width = 1, .rows = {22}}));
  write_file(folder / "octavo.json", R"({"format": "octavo-export", "classes": ["cat", "dog"], "splits": {
    "train": [{"file": "1-dog/0.png", "label": 1}, {"file": "0-cat/1.png", "label": 0}],
    "extra": [{"file": "0-cat/1.png", "label": 0}]}})");
  const auto source = open_source({{folder.path(), ""}}, {});
  REQUIRE(source->class_names() == std::vector<std::string>{"cat", "dog"});
  REQUIRE(source->splits()[0].name == "train");
  REQUIRE(source->splits()[1].name == "extra");
  const Samples samples = read_all(*source);
  REQUIRE(samples.labels == std::vector<std::int32_t>{1, 0});
  REQUIRE(samples.values == std::vector<std::uint8_t>{22, 11});
}

TEST_CASE("octavo.json may hold several labels per sample or targets or none", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto contents = [&](const std::string& samples) {
    write_file(folder / "octavo.json", R"({"format": "octavo-export", "splits": {"train": [)" + samples + "]}}");
    return read_export_index(files::open_folder(folder.path()), "").splits[0];
  };
  const auto several = contents(R"({"file": "a.png", "label": [0, 1, 1]}, {"file": "b.png", "label": [1, 0, 0]})");
  REQUIRE(several.layout == LabelLayout{LabelKind::multi_label, 3});
  const auto targets = contents(R"({"file": "a.png", "label": [1, 2]}, {"file": "b.png", "label": [0.5, -1e3]})");
  REQUIRE(targets.layout == LabelLayout{LabelKind::target, 2});
  float values[4];
  REQUIRE(targets.labels.size() == sizeof values);
  std::memcpy(values, targets.labels.data(), sizeof values);
  REQUIRE(std::vector<float>(values, values + 4) == std::vector<float>{1, 2, 0.5F, -1000});
  REQUIRE(contents(R"({"file": "a.png"})").layout.kind == LabelKind::none);
}

TEST_CASE("an invalid octavo.json is refused by name", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& text) {
    write_file(folder / "octavo.json", text);
    try {
      read_export_index(files::open_folder(folder.path()), "");
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto with_samples = [](const std::string& samples) {
    return R"({"format": "octavo-export", "splits": {"train": )" + samples + "}}";
  };
  CHECK_THAT(refused("{"), ContainsSubstring("octavo.json\": it is not JSON"));
  CHECK_THAT(refused("[]"), ContainsSubstring("it is not an object"));
  CHECK_THAT(refused(R"({"format": 7})"), ContainsSubstring("octavo.json"));
  CHECK_THAT(refused(R"({"format": "octavo-export", "version": 2})"), ContainsSubstring("\"version\" is not 1"));
  CHECK_THAT(refused(R"({"format": "octavo-export"})"), ContainsSubstring("no splits"));
  CHECK_THAT(refused(R"({"mask_classes": ["a"]})"), ContainsSubstring("its classes of masks are not an object"));
  CHECK_THAT(refused(R"({"mask_classes": {"256": "a"}})"), ContainsSubstring("not a number between 0 and 255"));
  CHECK_THAT(refused(R"({"mask_classes": {"x": "a"}})"), ContainsSubstring("not a number between 0 and 255"));
  CHECK_THAT(refused(R"({"mask_classes": {"1": 7}})"), ContainsSubstring("is not plain text"));
  CHECK_THAT(refused(R"({"mask_classes": {"1": {"2": "a"}}})"), ContainsSubstring("is not plain text"));
  CHECK_THAT(refused(with_samples("[]")), ContainsSubstring("no samples"));
  CHECK_THAT(refused(with_samples("[{}]")), ContainsSubstring("no file"));
  CHECK_THAT(refused(with_samples(R"([{"file": "../x.png"}])")), ContainsSubstring("not below"));
  CHECK_THAT(refused(with_samples(R"([{"file": "/etc/passwd"}])")), ContainsSubstring("not below"));
  CHECK_THAT(refused(with_samples(R"([{"file": "x", "label": -1}])")), ContainsSubstring("between"));
  CHECK_THAT(refused(with_samples(R"([{"file": "x", "label": 3000000000}])")), ContainsSubstring("between"));
  CHECK_THAT(refused(with_samples(R"([{"file": "x", "label": [0, 2]}])")), ContainsSubstring("between"));
  CHECK_THAT(refused(with_samples(R"([{"file": "x", "label": "cat"}])")), ContainsSubstring("neither"));
  CHECK_THAT(refused(with_samples(R"([{"file": "x", "label": 1}, {"file": "y"}])")), ContainsSubstring("differ"));
  const auto with_metadata = [&](const std::string& one, const std::string& other) {
    return refused(with_samples(R"([{"file": "x", "metadata": )" + one + R"(}, {"file": "y")" + other + "}]"));
  };
  CHECK_THAT(with_metadata("3", ""), ContainsSubstring("is not text"));
  CHECK_THAT(with_metadata(R"("[]")", ""), ContainsSubstring("not an object with columns"));
  CHECK_THAT(with_metadata(R"("{}")", ""), ContainsSubstring("not an object with columns"));
  CHECK_THAT(with_metadata(R"("{")", ""), ContainsSubstring("is not valid JSON at byte 2"));
  CHECK_THAT(with_metadata(R"("{\"a\": 1}")", ""), ContainsSubstring("only some samples have metadata"));
  CHECK_THAT(with_metadata(R"("{\"a\": 1}")", R"(, "metadata": "{\"b\": 1}")"),
             ContainsSubstring("columns of the samples"));
  CHECK(with_metadata(R"("{\"a\": 1}")", R"(, "metadata": "{\"a\": []}")") == "accepted");
  CHECK_THAT(refused(R"({"format": "octavo-export", "splits": [1]})"), ContainsSubstring("octavo.json"));
}
