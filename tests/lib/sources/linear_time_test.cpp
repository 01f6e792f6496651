// Work that grows with the number of classes, columns or files must grow linearly. These tests count the comparisons of
// texts instead of measuring time: std::string compares with memcmp, which this executable replaces.
#include <atomic>
#include <cstring>
#include <memory>

#include <octavo/pack.hpp>

#include "catch.hpp"
#include "fuzz/support/memory_tree.hpp"
#include "sources/combine/consistency.hpp"
#include "sources/combine/merged_source.hpp"
#include "sources/lists/folders/folder_listing.hpp"
#include "sources/lists/table/image_table.hpp"

namespace {
std::atomic<std::int64_t> comparison_count = 0;
}

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the library's names are reserved
extern "C" int memcmp(const void* a, const void* b, std::size_t count) noexcept {
  comparison_count.fetch_add(1, std::memory_order_relaxed);
  const auto* one = static_cast<const unsigned char*>(a);
  const auto* other = static_cast<const unsigned char*>(b);
  for (std::size_t i = 0; i < count; ++i) {
    if (one[i] != other[i]) return one[i] < other[i] ? -1 : 1;
  }
  return 0;
}

using namespace octavo;

namespace {

std::string name_of(int number) { return "identity_" + std::to_string(1'000'000 + number); }

std::vector<std::string> names_of(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(name_of(i));
  return names;
}

/// A source with classes and one split without samples.
class NamedClasses final : public Source {
 public:
  explicit NamedClasses(int count) : names_(names_of(count)) {
    splits_.push_back({.name = "train", .shape = {1, 1, 1}, .labels = {LabelKind::class_index, 1}});
  }
  const std::vector<SourceSplit>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return names_; }
  bool is_random_access() const override { return true; }
  std::string sample_name(std::size_t, std::int64_t) const override { return ""; }
  std::vector<SampleFailure> read(std::size_t, std::int64_t, std::int64_t, std::span<std::uint8_t>,
                                  std::span<std::byte>) override {
    return {};
  }
  std::vector<std::string> files() const override { return names_; }

 private:
  std::vector<std::string> names_;
  std::vector<SourceSplit> splits_;
};

/// How many times as many comparisons `work` makes for four times as many classes.
template <typename Work>
double growth(const Work& work) {
  const auto count = [&](int classes) {
    const std::int64_t before = comparison_count;
    work(classes);
    return static_cast<double>(comparison_count - before);
  };
  const double few = count(1000);
  REQUIRE(few > 0);
  return count(4000) / few;
}

// n log n gives 4.8, n^2 16.
constexpr double kMostGrowth = 6.0;

}  // namespace

TEST_CASE("listing class folders takes linear time with given names", "[unit][pack]") {
  CHECK(growth([](int classes) {
          std::vector<std::pair<std::string, std::string>> files;
          for (int i = 0; i < classes; ++i) files.emplace_back(name_of(i) + "/0.png", "");
          const auto tree = std::make_shared<fuzz::MemoryTree>(files);
          sources::list_image_folders({{tree}}, {.class_names = names_of(classes)});
        }) < kMostGrowth);
}

TEST_CASE("merging and appending sources takes linear time in their classes and files", "[unit][pack]") {
  CHECK(growth([](int classes) {
          std::map<std::string, std::string> class_map;
          for (int i = 0; i < classes; ++i) class_map.emplace(name_of(i), name_of(i) + "x");
          const sources::MergedSource merged({std::make_shared<NamedClasses>(classes)}, class_map);
          REQUIRE(merged.files().size() == static_cast<std::size_t>(classes));
        }) < kMostGrowth);
  CHECK(growth([](int classes) { sources::check_fits(NamedClasses(classes), NamedClasses(classes), "out.h5"); }) <
        kMostGrowth);
}

TEST_CASE("reading a list takes linear time in its columns and classes", "[unit][pack]") {
  CHECK(growth([](int columns) {
          std::string list = "file", line = "a.png";
          for (int i = 0; i < columns; ++i) list += "," + name_of(i), line += ",1";
          const auto tree = std::make_shared<fuzz::MemoryTree>(
              std::vector<std::pair<std::string, std::string>>{{"list.csv", list + "\n" + line + "\n"}, {"a.png", ""}});
          sources::read_image_table(tree, "list.csv", {}, {});
        }) < kMostGrowth);
  CHECK(growth([](int classes) {
          std::string list = "file,label\n";
          for (int i = 0; i < classes; ++i) list += "a.png," + name_of(i) + "\n";
          const auto tree = std::make_shared<fuzz::MemoryTree>(
              std::vector<std::pair<std::string, std::string>>{{"list.csv", list}, {"a.png", ""}});
          sources::read_image_table(tree, "list.csv", {}, {.class_names = names_of(classes)});
        }) < kMostGrowth);
}
