#include "sources/combine/merged_source.hpp"

#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "made_files.hpp"
#include "packed_fixture.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

TEST_CASE("files of one split are read across file boundaries", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "data_batch_1.bin", cifar_record("\1", 10, 0, 0) + cifar_record("\2", 20, 0, 0));
  write_file(folder / "data_batch_2.bin", cifar_record("\3", 30, 0, 0));
  const auto source = open_source({{folder.path(), ""}}, {});
  REQUIRE(source->splits().size() == 1);
  REQUIRE(source->splits()[0].sample_count == 3);
  REQUIRE(source->sample_name(0, 2) == "data_batch_2.bin#0");
  const Samples samples = read(*source, 0, 1, 2);
  REQUIRE(samples.labels == std::vector<std::int32_t>{2, 3});
  REQUIRE(samples.values[0] == 20);
  REQUIRE(samples.values[3072] == 30);
}

TEST_CASE("labels are renumbered if class names differ", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/x.bin", cifar_record("\1", 0, 0, 0));
  write_file(folder / "b/y.bin", cifar_record("\1", 0, 0, 0) + cifar_record("\2", 0, 0, 0));
  write_file(folder / "a/batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n");
  write_file(folder / "b/batches.meta.txt", "j\nnew\na\nb\nc\nd\ne\nf\ng\nh\n");
  const auto source = open_source({{folder / "a/x.bin", "train"}, {folder / "b/y.bin", "train"}}, {});
  REQUIRE(source->class_names().size() == 11);
  // b's class 1 is "new", the eleventh name. Its class 2 is "a".
  REQUIRE(read_all(*source).labels == std::vector<std::int32_t>{1, 10, 0});
  REQUIRE(source->class_index(0, 1) == 10);
}

TEST_CASE("classes that are mapped to one name become one class", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "x.bin", cifar_record("\2", 0, 0, 0) + cifar_record("\1", 0, 0, 0) + cifar_record("\3", 0, 0, 0));
  write_file(folder / "batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n");
  const auto source = open_source({{folder / "x.bin", "train"}}, {.class_map = {{"c", "a"}, {"d", "z"}}});
  REQUIRE(source->class_names() == std::vector<std::string>{"a", "b", "z", "e", "f", "g", "h", "i", "j"});
  REQUIRE(read_all(*source).labels == std::vector<std::int32_t>{0, 1, 2});
  REQUIRE_THROWS_WITH(open_source({{folder / "x.bin", "train"}}, {.class_map = {{"y", "a"}}}),
                      ContainsSubstring("no source has a class of that name"));
}

TEST_CASE("samples of different shapes cannot share a split", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a-idx3-ubyte", idx({1, 1, 1}, "x"));
  write_file(folder / "b-idx3-ubyte", idx({1, 1, 2}, "xy"));
  REQUIRE_THROWS_WITH(open_source({{folder / "a-idx3-ubyte", "train"}, {folder / "b-idx3-ubyte", "train"}}, {}),
                      ContainsSubstring("1x1x2"));
  const std::vector<SourceSpec> splits = {{folder / "a-idx3-ubyte", "train"}, {folder / "b-idx3-ubyte", "val"}};
  CHECK_THROWS_WITH(open_source(splits, {}), ContainsSubstring("of split \"val\" are 1x1x2, those of \"train\" 1x1x1"));
  CHECK(open_source(splits, {.allow_mismatch = true})->splits().size() == 2);
}

TEST_CASE("numbered classes are not mixed with named ones", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a-images-idx3-ubyte", idx({1, 1, 1}, "x"));
  write_file(folder / "a-labels-idx1-ubyte", idx({1}, "\1"));
  write_file(folder / "x.bin", cifar_record("\1", 0, 0, 0));
  const std::vector<SourceSpec> specs = {{folder / "a-images-idx3-ubyte", "a"}, {folder / "x.bin", "b"}};
  REQUIRE_THROWS_WITH(open_source(specs, {}), ContainsSubstring("`classes`"));
}

TEST_CASE("multi-labels of classes in another order are not mixed", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "a/list.csv", "path,red,round\n1.png,0,1\n");
  write_file(folder / "b/list.csv", "path,round,red\n1.png,0,1\n");
  write_file(folder / "c/list.csv", "path,red,round\n1.png,0,1\n");
  for (const char* name : {"a/1.png", "b/1.png", "c/1.png"})
    write_file(folder / name, made_png({.width = 1, .rows = {7}}));
  const SourceOptions with_names = {.class_names = {"red", "round"}};
  CHECK(open_source({{folder / "a", "train"}, {folder / "c", "train"}}, with_names)->splits()[0].sample_count == 2);
  CHECK_THROWS_WITH(
      open_source({{folder / "a", "train"}, {folder / "b", "train"}}, {}),
      ContainsSubstring("classes in another order") && ContainsSubstring("; pack each source with the same `classes`"));
}

TEST_CASE("files in which a mask value has different names are not merged", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& split, const std::string& notes) {
    write_packed(folder / name, {masked_split(split, 2, {1, 2, 2})}, Compression::none, "{\"notes\": " + notes + "}");
  };
  write("a.h5", "train", R"({"mask_classes": {"0": "road", "1": "car"}})");
  write("b.h5", "val", R"({"made from x.h5": {"notes": {"mask_classes": {"0": "sky", "1": "car"}}}})");
  write("c.h5", "test", R"({"mask_classes": {"1": "car", "2": "sky"}})");
  write("d.h5", "more", "{}");
  write_packed(folder / "e.h5", {random_split("plain", 2, {1, 2, 2})}, Compression::none,
               R"({"notes": {"mask_classes": {"0": "sky"}}})");
  const auto refusal = ContainsSubstring("b.h5\": mask value 0 is \"road\" in the first and \"sky\" in the second");
  CHECK_THROWS_WITH(open_source({{folder / "a.h5"}, {folder / "b.h5"}}, {}),
                    ContainsSubstring("a.h5\" and") && refusal);
  CHECK_THROWS_AS(open_source({{folder / "a.h5"}, {folder / "b.h5"}}, {}), DataError);
  CHECK(
      open_source({{folder / "a.h5"}, {folder / "c.h5"}, {folder / "d.h5"}, {folder / "e.h5"}}, {})->splits().size() ==
      4);
  // Without masks, their names do not matter.
  SourceOptions without;
  without.with_masks = false;
  CHECK(open_source({{folder / "a.h5"}, {folder / "b.h5"}}, without)->splits().size() == 2);
  const auto added = open_source({{folder / "b.h5"}}, {});
  CHECK_THROWS_WITH(append(*added, folder / "a.h5"), refusal);
}
