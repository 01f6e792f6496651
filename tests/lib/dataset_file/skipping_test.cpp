// Writing with skipped rows: the remaining rows move up, as if the skipped ones never existed.
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/verify.hpp>
#include <octavo/writer.hpp>
#include <thread>

#include "catch.hpp"
#include "small_file.hpp"
#include "temporary_folder.hpp"

using octavo::Dataset;
using octavo::Writer;
using octavo::test::TemporaryFolder;

namespace {

octavo::WriterOptions skipping_options(std::int64_t capacity) {
  auto options = octavo::test::small_options(capacity);
  options.splits[0].with_names = true;
  options.rows_may_be_skipped = true;
  return options;
}

/// Writes the contents of sample `sample` as row `row`.
void write_row(Writer& writer, std::int64_t row, std::int64_t sample) {
  auto values = octavo::test::values_of({3, 4, 5}, sample, 1);
  const auto labels = octavo::test::classes_of(sample, 1);
  const std::vector<std::string> names = {"sample " + std::to_string(sample)};
  writer.write(0, row, values, std::as_bytes(std::span(labels)), names);
}

bool is_kept(std::int64_t row) { return row % 7 != 0 && row != 99; }

}  // namespace

TEST_CASE("a file with skipped rows is byte-identical to one that never had them", "[unit][archive]") {
  const TemporaryFolder folder;
  std::vector<std::int64_t> kept;
  {
    Writer writer(folder / "skipped.h5", skipping_options(100));
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::int64_t row = 99 - thread; row >= 0; row -= 3) {
          if (is_kept(row))
            write_row(writer, row, row);
          else
            writer.skip(0, row);
        }
      });
    }
    threads.clear();
    writer.finish("{}");
  }
  for (std::int64_t row = 0; row < 100; ++row) {
    if (is_kept(row)) kept.push_back(row);
  }
  auto options = skipping_options(static_cast<std::int64_t>(kept.size()));
  options.rows_may_be_skipped = false;
  Writer writer(folder / "exact.h5", options);
  for (std::size_t row = 0; row < kept.size(); ++row) write_row(writer, static_cast<std::int64_t>(row), kept[row]);
  writer.finish("{}");
  REQUIRE(octavo::test::bytes_of_file(folder / "skipped.h5") == octavo::test::bytes_of_file(folder / "exact.h5"));
  REQUIRE(octavo::verify(folder / "skipped.h5").defect_count == 0);
  REQUIRE(octavo::test::names_in(folder.path()).size() == 2);
}

TEST_CASE("names move up with their rows", "[unit][archive]") {
  const TemporaryFolder folder;
  Writer writer(folder / "a.h5", skipping_options(4));
  writer.skip(0, 0);
  writer.skip(0, 2);
  write_row(writer, 3, 3);
  write_row(writer, 1, 1);
  writer.finish("{}");
  const auto split = Dataset::open(folder / "a.h5").split("train");
  REQUIRE(split.sample_count() == 2);
  REQUIRE(split.sample_name(0) == "sample 1");
  REQUIRE(split.sample_name(1) == "sample 3");
}

TEST_CASE("a row is either written or skipped", "[unit][archive]") {
  const TemporaryFolder folder;
  Writer writer(folder / "a.h5", skipping_options(3));
  writer.skip(0, 0);
  write_row(writer, 1, 1);
  REQUIRE_THROWS_AS(writer.skip(0, 0), octavo::InvalidArgument);
  REQUIRE_THROWS_AS(writer.skip(0, 1), octavo::InvalidArgument);
  REQUIRE_THROWS_AS(writer.skip(0, 3), octavo::InvalidArgument);
  REQUIRE_THROWS_AS(write_row(writer, 0, 0), octavo::InvalidArgument);
  REQUIRE_THROWS_WITH(writer.finish("{}"), ContainsSubstring("1 rows were neither written nor skipped"));
}

TEST_CASE("a split with all rows skipped is refused", "[unit][archive]") {
  const TemporaryFolder folder;
  Writer writer(folder / "a.h5", skipping_options(2));
  writer.skip(0, 0);
  writer.skip(0, 1);
  REQUIRE_THROWS_WITH(writer.finish("{}"), ContainsSubstring("no samples are left"));
  REQUIRE(octavo::test::names_in(folder.path()).empty());
}

TEST_CASE("names are cut at 255 bytes between characters", "[unit][archive]") {
  const TemporaryFolder folder;
  auto options = octavo::test::small_options(3);
  options.splits[0].with_names = true;
  Writer writer(folder / "a.h5", options);
  auto values = octavo::test::values_of({3, 4, 5}, 0, 3);
  const auto labels = octavo::test::classes_of(0, 3);
  // 254 letters and a character of 2 bytes; 300 bytes that are not UTF-8; a name with a zero byte.
  std::string long_name(254, 'a');
  long_name += "\xC3\xA4";
  const std::vector<std::string> names = {long_name, std::string(300, '\x80'), std::string("a\0b", 3)};
  writer.write(0, 0, values, std::as_bytes(std::span(labels)), names);
  writer.finish("{}");
  const auto split = Dataset::open(folder / "a.h5").split("train");
  REQUIRE(split.sample_name(0) == std::string(254, 'a'));
  REQUIRE(split.sample_name(1) == std::string(255, '\x80'));
  REQUIRE(split.sample_name(2) == "a");
}
