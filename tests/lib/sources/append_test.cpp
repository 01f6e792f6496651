#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>
#include <octavo/verify.hpp>

#include "catch.hpp"
#include "made_files.hpp"
#include "packed_fixture.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

std::vector<std::int8_t> codes_of(const Split& split) {
  std::vector<std::int8_t> codes(static_cast<std::size_t>(split.packed_bytes()));
  split.read(0, split.sample_count(), codes);
  return codes;
}

}  // namespace

TEST_CASE("a split is appended and the existing splits stay unchanged", "[unit][pack]") {
  const TemporaryFolder folder;
  write_packed(folder / "a.h5", {random_split("train", 40, {1, 3, 4})});
  const auto before = codes_of(Dataset::open(folder / "a.h5").split("train"));
  write_file(folder / "test-idx3-ubyte", idx({2, 3, 4}, counting(24)));
  const auto added = open_source({{folder / "test-idx3-ubyte"}}, {});
  const PackSummary summary = append(*added, folder / "a.h5");
  REQUIRE(summary.splits.size() == 2);
  const Dataset after = Dataset::open(folder / "a.h5");
  REQUIRE(after.split_names() == std::vector<std::string>{"train", "test"});
  REQUIRE(codes_of(after.split("train")) == before);
  REQUIRE(codes_of(after.split("test"))[23] == 23 - 128);
  REQUIRE(verify(folder / "a.h5").defect_count == 0);
}

TEST_CASE("a split of another shape or with new classes is appended only on request", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto image = [](int width) { return "P5 " + std::to_string(width) + " 1 255 " + std::string(width, 'x'); };
  for (const char* const path : {"train/cat/1.pgm", "train/dog/1.pgm", "other/owl/1.pgm", "other/Cat/1.pgm"})
    write_file(folder / path, image(3));
  write_file(folder / "wide/cat/1.pgm", image(4));
  pack(*open(folder / "train"), folder / "a.h5");
  const auto owls = open_source({{folder / "other", "test"}}, {});
  CHECK_THROWS_WITH(append(*owls, folder / "a.h5"),
                    ContainsSubstring("the classes \"Cat\", \"owl\" are not in the file (there is \"cat\")") &&
                        ContainsSubstring("`class_map`") && ContainsSubstring("`allow_mismatch`"));
  const auto wide = open_source({{folder / "wide", "val"}}, {});
  CHECK_THROWS_WITH(append(*wide, folder / "a.h5"), ContainsSubstring("are 1x1x4, those of the file 1x1x3"));
  CHECK(Dataset::open(folder / "a.h5").split_names().size() == 1);
  append(*owls, folder / "a.h5", {.allow_mismatch = true});
  append(*wide, folder / "a.h5", {.allow_mismatch = true});
  CHECK(Dataset::open(folder / "a.h5").class_names() == std::vector<std::string>{"cat", "dog", "Cat", "owl"});
}

TEST_CASE("an appended split with another range is noted", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, float high) {
    std::vector<float> values(1024);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = high * static_cast<float>(i) / 1023.0F;
    const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    write_file(folder / name, npy("<f4", "16, 8, 8", bytes));
  };
  const SourceOptions options = {.layout = ArrayLayout::hw};
  write("train.npy", 5.0F);
  write("val.npy", 5.0F);
  write("test.npy", 50.0F);
  pack(*open(folder / "train.npy", options), folder / "a.h5");
  const auto note_of = [&](const char* name) {
    std::string text;
    for (const std::string& note : append(*open(folder / name, options), folder / "a.h5").notes) text += note + "\n";
    return text;
  };
  CHECK_THAT(note_of("val.npy"), !ContainsSubstring("another range"));
  CHECK_THAT(note_of("test.npy"), ContainsSubstring("test has another range than train; batches are in source units"));
}

TEST_CASE("an existing split is not appended again and the file stays unchanged", "[unit][pack]") {
  const TemporaryFolder folder;
  write_packed(folder / "a.h5", {random_split("train", 4, {1, 3, 4})});
  const std::string uuid = Dataset::open(folder / "a.h5").uuid();
  write_file(folder / "train-idx3-ubyte", idx({2, 3, 4}, counting(24)));
  const auto added = open_source({{folder / "train-idx3-ubyte"}}, {});
  REQUIRE_THROWS_WITH(append(*added, folder / "a.h5"), ContainsSubstring("has a split \"train\" already"));
  REQUIRE(Dataset::open(folder / "a.h5").uuid() == uuid);
  REQUIRE_THROWS_AS(append(*added, folder / "none.h5"), IoError);
}

TEST_CASE("a deflated file stays deflated when a split is appended", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "train-idx3-ubyte", idx({2, 3, 4}, counting(24)));
  write_file(folder / "test-idx3-ubyte", idx({2, 3, 4}, counting(24)));
  PackOptions options;
  options.compression = Compression::deflate;
  pack(*open_source({{folder / "train-idx3-ubyte"}}, {}), folder / "a.h5", options);
  append(*open_source({{folder / "test-idx3-ubyte"}}, {}), folder / "a.h5");
  const Dataset after = Dataset::open(folder / "a.h5");
  REQUIRE(after.split("test").compression() == Compression::deflate);
  REQUIRE(codes_of(after.split("train")) == codes_of(after.split("test")));
}

TEST_CASE("splits can be appended many times", "[unit][pack]") {
  const TemporaryFolder folder;
  write_packed(folder / "a.h5", {random_split("train", 2, {1, 1, 2})});
  for (int number = 0; number < 20; ++number) {
    write_file(folder / "x-idx3-ubyte", idx({1, 1, 2}, "xy"));
    const auto added = open_source({{folder / "x-idx3-ubyte", "s" + std::to_string(number)}}, {});
    append(*added, folder / "a.h5");
  }
  REQUIRE(Dataset::open(folder / "a.h5").split_names().size() == 21);
}
