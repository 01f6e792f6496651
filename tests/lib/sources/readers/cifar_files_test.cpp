#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "shared_data.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

TEST_CASE("CIFAR-10 records are read with the well-known class names", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "x.bin", cifar_record("\3", 1, 2, 3) + cifar_record("\t", 4, 5, 6));
  const auto source = open_source({{folder / "x.bin", ""}}, {});
  REQUIRE(source->format() == "cifar10");
  REQUIRE(source->splits()[0].shape == SampleShape{3, 32, 32});
  REQUIRE(source->class_names().at(3) == "cat");
  const Samples samples = read_all(*source);
  REQUIRE(samples.labels == std::vector<std::int32_t>{3, 9});
  REQUIRE(samples.values[1023] == 1);
  REQUIRE(samples.values[1024] == 2);
  REQUIRE(samples.values[3072 + 2048] == 6);
}

TEST_CASE("CIFAR-10 class names come from the file next to the batches without its blank last lines", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "x.bin", cifar_record(std::string(1, '\0'), 1, 2, 3));
  write_file(folder / "batches.meta.txt", "a\nb\r\nc\nd\ne\nf\ng\nh\ni\nj\n\n");
  REQUIRE(open_source({{folder / "x.bin", ""}}, {})->class_names() ==
          std::vector<std::string>{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"});
}

TEST_CASE("the fine label of a CIFAR-100 record is used", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "train.bin", cifar_record("\x13\x63", 1, 2, 3));
  const auto source = open_source({{folder.path(), ""}}, {});
  REQUIRE(source->format() == "cifar100");
  REQUIRE(source->class_names().empty());
  const Samples samples = read_all(*source);
  REQUIRE(samples.labels == std::vector<std::int32_t>{99});
  REQUIRE(samples.values[0] == 1);
}

TEST_CASE("a truncated CIFAR record is refused with file and record", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::string record = cifar_record("\1", 1, 2, 3);
  write_file(folder / "x.bin", record + record + record + record.substr(0, 100));
  REQUIRE_THROWS_WITH(open_source({{folder / "x.bin", ""}}, {}),
                      ContainsSubstring("x.bin\": record 3 has 100 of the 3073 bytes"));
}

TEST_CASE("a CIFAR label out of range is a bad sample", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "x.bin", cifar_record("\1", 1, 2, 3) + cifar_record("\xC8", 1, 2, 3));
  const auto source = open_source({{folder / "x.bin", ""}}, {});
  const Samples samples = read_all(*source);
  REQUIRE(samples.failures.size() == 1);
  REQUIRE(samples.failures[0].row == 1);
  REQUIRE(samples.failures[0].name == "x.bin#1");
  REQUIRE(samples.failures[0].reason == "its label is 200, the largest class is 9");
}

TEST_CASE("labels distinguish CIFAR-10 from CIFAR-100 if both lengths fit", "[unit][pack]") {
  const TemporaryFolder folder;
  std::string ten, hundred;
  for (int i = 0; i < 3074; ++i) ten += cifar_record("\1", 200, 201, 202);
  for (int i = 0; i < 3073; ++i) hundred += cifar_record("\1\x50", 200, 201, 202);
  write_file(folder / "ten.bin", ten);
  write_file(folder / "hundred.bin", hundred);
  REQUIRE(open_source({{folder / "ten.bin", ""}}, {})->format() == "cifar10");
  REQUIRE(open_source({{folder / "hundred.bin", ""}}, {})->format() == "cifar100");
}

TEST_CASE("every odd CIFAR file is read or refused with one line that names it", "[unit][pack]") {
  const auto data = shared_data("odd/cifar-bin");
  if (!data) OCTAVO_SKIP("no shared data");
  int read_well = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*data)) {
    if (entry.path().extension() != ".bin") continue;
    try {
      read_well += read_all(*open_source({{entry.path(), ""}}, {})).failures.empty();
    } catch (const Error& error) {
      CHECK_THAT(error.what(), ContainsSubstring(entry.path().filename().string()));
    }
  }
  CHECK(read_well == 1);
}
