#include <octavo/writer.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <thread>

#include "catch.hpp"
#include "small_file.hpp"
#include "temporary_folder.hpp"

using octavo::Dataset;
using octavo::LabelKind;
using octavo::Writer;
using octavo::test::TemporaryFolder;

namespace {

template <typename Value>
std::vector<Value> labels_of(const std::filesystem::path& path, std::size_t count) {
  std::vector<Value> labels(count);
  const auto split = Dataset::open(path).split("train");
  split.read_labels(0, split.sample_count(), std::as_writable_bytes(std::span(labels)));
  return labels;
}

/// A file of one split with these labels.
template <typename Value>
void write_with_labels(const std::filesystem::path& path, octavo::LabelLayout layout, const std::vector<Value>& labels,
                       std::vector<std::string> class_names = {}) {
  auto split = octavo::test::small_split("train", static_cast<std::int64_t>(labels.size()) / layout.width);
  split.labels = layout;
  octavo::WriterOptions options;
  options.splits = {split};
  options.class_names = std::move(class_names);
  Writer writer(path, options);
  auto values = octavo::test::values_of(split.shape, 0, split.row_capacity);
  writer.write(0, 0, values, std::as_bytes(std::span(labels)));
  writer.finish("{}");
}

}  // namespace

TEST_CASE("labels of each kind are read back unchanged", "[unit][archive]") {
  const TemporaryFolder folder;
  const std::vector<std::int32_t> classes = {0, 2147483647, 5};
  write_with_labels(folder / "c.h5", {LabelKind::class_index, 1}, classes);
  REQUIRE(labels_of<std::int32_t>(folder / "c.h5", 3) == classes);
  const std::vector<std::int32_t> several = {0, 1, 1, 0, 0, 1};
  write_with_labels(folder / "m.h5", {LabelKind::multi_label, 3}, several);
  REQUIRE(labels_of<std::int32_t>(folder / "m.h5", 6) == several);
  const std::vector<float> targets = {-0.0f, 1e-45f, 3.5f, -1e38f};
  write_with_labels(folder / "t.h5", {LabelKind::target, 2}, targets);
  REQUIRE(labels_of<float>(folder / "t.h5", 4) == targets);
  REQUIRE(std::signbit(labels_of<float>(folder / "t.h5", 4)[0]));
}

TEST_CASE("a split without labels has none", "[unit][archive]") {
  const TemporaryFolder folder;
  auto split = octavo::test::small_split();
  split.labels = {};
  octavo::WriterOptions options;
  options.splits = {split};
  Writer writer(folder / "a.h5", options);
  auto values = octavo::test::values_of(split.shape, 0, 20);
  writer.write(0, 0, values, {});
  writer.finish("{}");
  const auto back = Dataset::open(folder / "a.h5").split("train");
  REQUIRE(back.labels() == octavo::LabelLayout{});
  std::vector<std::int8_t> codes(20 * 60);
  back.read_checked(0, 20, codes, {});
}

TEST_CASE("invalid labels are refused", "[unit][archive]") {
  const TemporaryFolder folder;
  const auto refused = [&](octavo::LabelLayout layout, auto labels, std::vector<std::string> names = {}) {
    REQUIRE_THROWS_AS(write_with_labels(folder / "a.h5", layout, labels, names), octavo::InvalidArgument);
  };
  refused({LabelKind::class_index, 1}, std::vector<std::int32_t>{-1});
  refused({LabelKind::class_index, 1}, std::vector<std::int32_t>{0, 2}, {"a", "b"});
  refused({LabelKind::multi_label, 2}, std::vector<std::int32_t>{0, 2});
  refused({LabelKind::multi_label, 2}, std::vector<std::int32_t>{0, 1}, {"a", "b", "c"});
  refused({LabelKind::target, 1}, std::vector<float>{std::numeric_limits<float>::infinity()});
  refused({LabelKind::target, 1}, std::vector<float>{std::numeric_limits<float>::quiet_NaN()});
  REQUIRE(octavo::test::names_in(folder.path()).empty());
}

TEST_CASE("statistics in the file match the values", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  const auto statistics = Dataset::open(folder / "a.h5").split("train").statistics();
  const auto values = octavo::test::values_of({3, 4, 5}, 0, 20);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    std::vector<std::int64_t> counts(256);
    long double sum = 0;
    long double squares = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i / 20 % 3 != channel) continue;
      ++counts[values[i]];
      sum += values[i];
      squares += static_cast<long double>(values[i]) * values[i];
    }
    REQUIRE(std::equal(counts.begin(), counts.end(),
                       statistics.histogram.begin() + static_cast<std::ptrdiff_t>(channel) * 256));
    REQUIRE(statistics.mean[channel] == static_cast<double>(sum / 400));
    const auto deviation = static_cast<double>(std::sqrt(squares / 400 - sum / 400 * (sum / 400)));
    REQUIRE(std::abs(statistics.standard_deviation[channel] - deviation) < 1e-12);
  }
  for (std::size_t i = 0; i < 60; ++i) {
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < 20; ++row) sum += values[row * 60 + i];
    REQUIRE(statistics.mean_image[i] == static_cast<float>(static_cast<double>(sum) / 20));
  }
}

TEST_CASE("all 256 codes are preserved", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::WriterOptions options;
  options.splits = {{.name = "all", .shape = {1, 16, 16}, .labels = {}, .row_capacity = 1}};
  Writer writer(folder / "a.h5", options);
  std::vector<std::uint8_t> values(256);
  for (std::size_t i = 0; i < 256; ++i) values[i] = static_cast<std::uint8_t>(i);
  writer.write(0, 0, values, {});
  writer.finish("{}");
  std::vector<std::int8_t> codes(256);
  Dataset::open(folder / "a.h5").split("all").read_checked(0, 1, codes, {});
  for (int i = 0; i < 256; ++i) REQUIRE(codes[static_cast<std::size_t>(i)] == i - 128);
}

TEST_CASE("a reproducible file has the same bytes for any order and number of threads", "[unit][archive]") {
  const TemporaryFolder folder;
  auto options = octavo::test::small_options(103);
  options.splits[0].with_names = true;
  const auto write_rows = [&](Writer& writer, std::int64_t first, std::int64_t end, std::int64_t step) {
    for (std::int64_t row = first; row < end; row += step) {
      auto values = octavo::test::values_of(options.splits[0].shape, row, 1);
      const auto labels = octavo::test::classes_of(row, 1);
      const std::vector<std::string> names = {"image " + std::to_string(row)};
      writer.write(0, row, values, std::as_bytes(std::span(labels)), names);
    }
  };
  {
    Writer writer(folder / "one.h5", options);
    write_rows(writer, 0, 103, 1);
    writer.finish("{\"a\":1}");
  }
  {
    Writer writer(folder / "four.h5", options);
    {
      std::vector<std::jthread> threads;
      for (std::int64_t thread = 3; thread >= 0; --thread) {
        threads.emplace_back([&, thread] { write_rows(writer, thread, 103, 4); });
      }
    }
    writer.finish("{\"a\":1}");
  }
  REQUIRE(octavo::test::bytes_of_file(folder / "one.h5") == octavo::test::bytes_of_file(folder / "four.h5"));
}

TEST_CASE("two files that are not reproducible have different UUIDs", "[unit][archive]") {
  const TemporaryFolder folder;
  auto options = octavo::test::small_options();
  options.reproducible = false;
  octavo::test::write_small_file(folder / "a.h5", options);
  octavo::test::write_small_file(folder / "b.h5", options);
  REQUIRE(Dataset::open(folder / "a.h5").uuid() != Dataset::open(folder / "b.h5").uuid());
  REQUIRE(Dataset::open(folder / "a.h5").created().size() == std::string("1970-01-01T00:00:00Z").size());
}

TEST_CASE("every row must be written exactly once", "[unit][archive]") {
  const TemporaryFolder folder;
  const auto options = octavo::test::small_options();
  Writer writer(folder / "a.h5", options);
  auto values = octavo::test::values_of(options.splits[0].shape, 0, 10);
  const auto labels = octavo::test::classes_of(0, 10);
  const auto label_bytes = std::as_bytes(std::span(labels));
  writer.write(0, 0, values, label_bytes);
  REQUIRE_THROWS_WITH(writer.write(0, 9, values, label_bytes), ContainsSubstring("row 9"));
  REQUIRE_THROWS_AS(writer.write(0, 11, values, label_bytes), octavo::InvalidArgument);
  REQUIRE_THROWS_AS(writer.write(0, -1, values, label_bytes), octavo::InvalidArgument);
  REQUIRE_THROWS_AS(writer.write(1, 0, values, label_bytes), octavo::InvalidArgument);
  REQUIRE_THROWS_AS(writer.write(0, 10, values, label_bytes.first(36)), octavo::InvalidArgument);
  REQUIRE_THROWS_AS(writer.write(0, 10, std::span(values).first(599), label_bytes), octavo::InvalidArgument);
  REQUIRE_THROWS_AS(writer.skip(0, 15), octavo::InvalidArgument);
  REQUIRE_THROWS_WITH(writer.finish("{}"), ContainsSubstring("10 rows were neither written nor skipped"));
  REQUIRE_THROWS_AS(writer.finish("{}"), octavo::InvalidArgument);
  REQUIRE(octavo::test::names_in(folder.path()).empty());
}

TEST_CASE("a split is trained with whole samples, before the first one is written", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::WriterOptions options;
  options.splits = {octavo::test::small_split("train", 3)};
  options.compression = octavo::Compression::lc8;
  Writer writer(folder / "a.h5", options);
  auto values = octavo::test::values_of(options.splits[0].shape, 0, 3);
  REQUIRE_THROWS_WITH(writer.train(0, std::span(values).first(values.size() - 1)),
                      "train split train: the values are not whole samples");
  REQUIRE_THROWS_AS(writer.train(1, values), octavo::InvalidArgument);
  writer.train(0, values);
  const std::vector<std::int32_t> labels = {0, 1, 2};
  auto written = values;
  writer.write(0, 0, written, std::as_bytes(std::span(labels)));
  REQUIRE_THROWS_WITH(writer.train(0, values), "train split train: samples are already written");
  writer.finish("{}");
  std::vector<std::int8_t> codes(values.size());
  Dataset::open(folder / "a.h5").split("train").read(0, 3, codes);
  for (std::size_t i = 0; i < codes.size(); ++i) REQUIRE(codes[i] == values[i] - 128);
}

TEST_CASE("layouts that the format does not allow are refused before anything is created", "[unit][archive]") {
  const TemporaryFolder folder;
  const auto refused = [&](const auto& change) {
    auto options = octavo::test::small_options();
    change(options);
    REQUIRE_THROWS_AS(Writer(folder / "a.h5", options), octavo::InvalidArgument);
    REQUIRE(octavo::test::names_in(folder.path()).empty());
  };
  refused([](auto& options) { options.splits.clear(); });
  refused([](auto& options) { options.splits.push_back(options.splits[0]); });
  for (const char* name : {"", "a/b", ".", "..", "-a", "\xC3\xA4", "index", "classes", "provenance"}) {
    refused([&](auto& options) { options.splits[0].name = name; });
  }
  refused([](auto& options) { options.splits[0].name = std::string(65, 'a'); });
  refused([](auto& options) { options.splits[0].shape.channels = 0; });
  refused([](auto& options) { options.splits[0].shape.channels = 4097; });
  refused([](auto& options) { options.splits[0].shape = {1, 1 << 16, 1 << 15}; });
  refused([](auto& options) { options.splits[0].shape = {2, INT64_MAX / 2, INT64_MAX / 2}; });
  refused([](auto& options) { options.splits[0].row_capacity = 0; });
  refused([](auto& options) { options.splits[0].row_capacity = INT64_MAX; });
  refused([](auto& options) { options.splits[0].labels.width = 2; });
  refused([](auto& options) { options.splits[0].quantization = {{1.0, 0.0}}; });
  refused([](auto& options) { options.splits[0].quantization = {{1.0, 0.0}, {0.0, 0.0}, {1.0, 0.0}}; });
  refused([](auto& options) { options.class_names = {"\xFF"}; });
  refused([](auto& options) { options.class_names = {"a\nb"}; });
}

TEST_CASE("an existing file is replaced only when that is allowed", "[unit][archive]") {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.h5") << "precious";
  auto options = octavo::test::small_options();
  REQUIRE_THROWS_WITH(Writer(folder / "a.h5", options), ContainsSubstring("exists"));
  REQUIRE(std::filesystem::file_size(folder / "a.h5") == 8);
  options.replace_existing = true;
  octavo::test::write_small_file(folder / "a.h5", options);
  REQUIRE(Dataset::open(folder / "a.h5").has_split("train"));
  REQUIRE(octavo::test::names_in(folder.path()) == std::vector<std::string>{"a.h5"});
}

TEST_CASE("a file that replaces another one has its permissions", "[unit][archive]") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  auto options = octavo::test::small_options();
  options.rows_may_be_skipped = true;  // so that there is a spool
  options.replace_existing = true;
  const fs::path path = folder / "a.h5";
  std::ofstream(path) << "private";
  fs::permissions(path, fs::perms{0440});
  {
    Writer writer(path, options);
    for (const char* suffix : {".partial", ".partial.pixels"}) {
      CHECK(fs::status(path.string() + suffix).permissions() == fs::perms{0600});
    }
    octavo::test::write_all(writer, 0, options.splits[0]);
    writer.finish("{}");
  }
  CHECK(fs::status(path).permissions() == fs::perms{0440});
}

TEST_CASE("a file that appears while another is written is not replaced", "[unit][archive]") {
  const TemporaryFolder folder;
  const auto options = octavo::test::small_options();
  Writer writer(folder / "a.h5", options);
  octavo::test::write_all(writer, 0, options.splits[0]);
  std::ofstream(folder / "a.h5") << "precious";
  REQUIRE_THROWS_AS(writer.finish("{}"), octavo::IoError);
  REQUIRE(std::filesystem::file_size(folder / "a.h5") == 8);
  REQUIRE(octavo::test::names_in(folder.path()) == std::vector<std::string>{"a.h5"});
}

TEST_CASE("a writer that is destroyed early leaves nothing behind", "[unit][archive]") {
  const TemporaryFolder folder;
  auto options = octavo::test::small_options();
  options.rows_may_be_skipped = GENERATE(false, true);
  {
    Writer writer(folder / "a.h5", options);
    octavo::test::write_all(writer, 0, options.splits[0]);
    REQUIRE_FALSE(octavo::test::names_in(folder.path()).empty());
  }
  REQUIRE(octavo::test::names_in(folder.path()).empty());
}

TEST_CASE("a second writer on the same path is refused while the first one is active", "[unit][archive]") {
  const TemporaryFolder folder;
  auto options = octavo::test::small_options();
  {
    Writer first(folder / "a.h5", options);
    REQUIRE_THROWS_AS(Writer(folder / "a.h5", options), octavo::IoError);
    REQUIRE_THROWS_WITH(Writer(folder / "a.h5", options), ContainsSubstring("another writer"));
    octavo::test::write_all(first, 0, options.splits[0]);
    first.finish("{}");
  }
  REQUIRE(Dataset::open(folder / "a.h5").has_split("train"));
}

TEST_CASE("leftovers of a killed writer are replaced", "[unit][archive]") {
  const TemporaryFolder folder;
  for (const char* name : {"a.h5.partial", "a.h5.partial.pixels", "a.h5.lock"}) std::ofstream(folder / name) << "stale";
  octavo::test::write_small_file(folder / "a.h5");
  REQUIRE(octavo::test::names_in(folder.path()) == std::vector<std::string>{"a.h5"});
}

TEST_CASE("a missing folder or a folder at the file's path is an error", "[unit][archive]") {
  const TemporaryFolder folder;
  REQUIRE_THROWS_AS(Writer(folder / "no/a.h5", octavo::test::small_options()), octavo::IoError);
  REQUIRE_THROWS_AS(Writer(folder.path(), octavo::test::small_options()), octavo::InvalidArgument);
}

TEST_CASE("provenance is read back with the source digests added", "[unit][archive]") {
  const TemporaryFolder folder;
  const auto options = octavo::test::small_options();
  Writer writer(folder / "a.h5", options);
  octavo::test::write_all(writer, 0, options.splits[0]);
  writer.finish("{\"command\":\"octavo pack\"}");
  const std::string provenance = Dataset::open(folder / "a.h5").provenance();
  REQUIRE_THAT(provenance, ContainsSubstring("\"command\":\"octavo pack\""));
  REQUIRE_THAT(provenance, ContainsSubstring("\"source_digests\":{\"train\":\""));
}

TEST_CASE("provenance that is not a JSON object is refused", "[unit][archive]") {
  const TemporaryFolder folder;
  const char* text = GENERATE("", "[]", "{", "{\"a\":1,\"a\":2}", "{\"a\":\"\xFF\"}");
  const auto options = octavo::test::small_options();
  Writer writer(folder / "a.h5", options);
  octavo::test::write_all(writer, 0, options.splits[0]);
  REQUIRE_THROWS_AS(writer.finish(text), octavo::InvalidArgument);
}
