#include "sources/lists/class_counts.hpp"

#include <cstdint>
#include <cstring>
#include <unordered_set>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "support/text/utf8.hpp"

namespace octavo::sources {
namespace {

/// Of fewer images, all classes may differ by chance, or because they are an example.
constexpr std::int64_t kFewestImages = 20;
/// Data sets of rare things have two or three images in many classes, but not one in nine of ten.
constexpr std::int64_t kMostPercent = 90;
constexpr std::size_t kMostExampleBytes = 64;

enum class Kind { folders, names, numbers };

Kind kind_of(const ImageList& list) {
  if (list.class_names.empty()) return Kind::numbers;
  return list.is_table || list.format == "webdataset" ? Kind::names : Kind::folders;
}

/// The classes that occur in all lists of one kind.
struct ClassTally {
  std::int64_t images = 0;
  std::unordered_set<std::int32_t> classes;
  std::string example;

  bool is_nearly_one_each() const {
    return images >= kFewestImages && std::ssize(classes) * 100 >= images * kMostPercent;
  }
  /// "60 classes for 60 images".
  std::string text() const { return format_count(std::ssize(classes)) + " classes for " + counted(images, "image"); }
};

void add_labels(const SplitImages& split, ClassTally& count) {
  if (split.layout.kind != LabelKind::class_index) return;
  count.images += std::ssize(split.paths);
  for (std::size_t at = 0; at < split.labels.size(); at += sizeof(std::int32_t)) {
    std::int32_t label;
    std::memcpy(&label, split.labels.data() + at, sizeof label);
    count.classes.insert(label);
  }
}

ClassTally count_classes(const std::vector<ImageList>& lists, Kind kind) {
  ClassTally count;
  for (const ImageList& list : lists) {
    if (kind_of(list) != kind) continue;
    for (const SplitImages& split : list.splits) add_labels(split, count);
    if (count.example.empty() && !list.class_names.empty()) count.example = list.class_names[0];
  }
  return count;
}

/// Whether the user has said what the labels are.
bool are_known(const SourceOptions& options) {
  return !options.class_names.empty() || options.label_kind == LabelKind::class_index;
}

}  // namespace

void check_class_counts(const std::vector<ImageList>& lists, const SourceOptions& options) {
  if (are_known(options)) return;
  const ClassTally names = count_classes(lists, Kind::names);
  if (!names.is_nearly_one_each()) return;
  throw DataError("number the classes: the labels are " + names.text() + ", such as \"" +
                  printable(cut_utf8(names.example, kMostExampleBytes)) +
                  "\", so nearly each image would be its own class; name another column with `label_column`, or "
                  "confirm the classes with `label_kind=class`");
}

std::optional<std::string> remark_on_class_counts(const std::vector<ImageList>& lists, const SourceOptions& options) {
  if (are_known(options)) return std::nullopt;
  if (const ClassTally folders = count_classes(lists, Kind::folders); folders.is_nearly_one_each()) {
    return "the class folders are " + folders.text() +
           ", so nearly each image is its own class; name the classes in "
           "an image list, or make them the outer folders";
  }
  if (const ClassTally numbers = count_classes(lists, Kind::numbers); numbers.is_nearly_one_each()) {
    return "the labels are " + numbers.text() +
           ", so nearly each image is its own class; `label_kind=target` makes "
           "the numbers targets, and `label_column` names another column";
  }
  return std::nullopt;
}

}  // namespace octavo::sources
