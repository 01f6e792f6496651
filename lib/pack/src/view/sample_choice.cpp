// Which samples are on a sheet of stored samples.
#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <string>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>
#include <octavo/view.hpp>

namespace octavo {
namespace {

constexpr std::int64_t kLabelsInBlock = 1 << 16;
/// Names in a message.
constexpr std::size_t kMostListedNames = 10;

std::optional<std::int32_t> class_number_in(std::string_view text) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

[[noreturn]] void refuse_unknown_class(const Split& split, std::string_view text) {
  std::vector<std::string> expected;
  for (const std::string& name : split.class_names()) {
    expected.push_back(expected.size() < kMostListedNames ? printable(name) : "...");
    if (expected.size() > kMostListedNames) break;
  }
  if (expected.empty()) expected = {"a class number: the file has no class names"};
  throw InvalidArgument("unknown class \"" + printable(std::string(text)) + "\" of split " + split.name() +
                        "; expected " + either_of(expected));
}

void check_has_classes(const Split& split) {
  if (split.labels().kind == LabelKind::class_index || split.labels().kind == LabelKind::multi_label) return;
  throw InvalidArgument("show samples of a class: the labels of split " + split.name() +
                        " are not classes; leave out the class, or choose another split");
}

void check_class_number(const Split& split, std::int32_t number) {
  if (number < 0 || number >= split.labels().width) refuse_unknown_class(split, std::to_string(number));
}

void check_index(const Split& split, std::int64_t index) {
  if (index >= 0 && index < split.sample_count()) return;
  throw InvalidArgument("show sample " + std::to_string(index) + ": split " + split.name() + " has " +
                        std::to_string(split.sample_count()) + " samples, counted from 0; choose one of them");
}

/// Whether a sample has one of the classes. `label` is a class number, or 0 and 1 for each class.
bool has_one_of(const std::vector<std::int32_t>& classes, LabelKind kind, std::span<const std::int32_t> label) {
  return std::ranges::any_of(classes, [&](std::int32_t number) {
    return kind == LabelKind::class_index ? label[0] == number : label[static_cast<std::size_t>(number)] != 0;
  });
}

/// The first options.count samples with one of the classes, from options.first on.
std::vector<std::int64_t> samples_of_classes(const Split& split, const ContactSheetOptions& options) {
  check_has_classes(split);
  const LabelLayout layout = split.labels();
  const auto width = static_cast<std::size_t>(layout.width);
  if (layout.kind == LabelKind::multi_label) {
    for (const std::int32_t number : options.classes) check_class_number(split, number);
  }
  const std::int64_t rows = std::max<std::int64_t>(1, kLabelsInBlock / layout.width);
  std::vector<std::int64_t> indices;
  std::vector<std::int32_t> labels;
  for (std::int64_t first = options.first; first < split.sample_count(); first += rows) {
    const std::int64_t count = std::min(rows, split.sample_count() - first);
    labels.resize(static_cast<std::size_t>(count) * width);
    split.read_labels(first, count, std::as_writable_bytes(std::span(labels)));
    for (std::int64_t i = 0; i < count; ++i) {
      const auto label = std::span(labels).subspan(static_cast<std::size_t>(i) * width, width);
      if (!has_one_of(options.classes, layout.kind, label)) continue;
      indices.push_back(first + i);
      if (std::ssize(indices) == options.count) return indices;
    }
  }
  if (!indices.empty()) return indices;
  throw InvalidArgument("show samples of a class: split " + split.name() + " has none" +
                        (options.first > 0 ? " from index " + std::to_string(options.first) + " on" : "") +
                        "; choose another class or split");
}

}  // namespace

std::int32_t find_class(const Split& split, std::string_view text) {
  check_has_classes(split);
  const std::vector<std::string>& names = split.class_names();
  const auto named = std::ranges::find(names, text);
  if (named != names.end()) return static_cast<std::int32_t>(named - names.begin());
  const auto number = class_number_in(text);
  if (!number || (!names.empty() && *number >= std::ssize(names))) refuse_unknown_class(split, text);
  if (split.labels().kind == LabelKind::multi_label) check_class_number(split, *number);
  return *number;
}

std::vector<std::int64_t> shown_indices(const Split& split, const ContactSheetOptions& options) {
  if (options.count < 1) throw InvalidArgument("show samples: the count is below 1; ask for at least one sample");
  if (!options.indices.empty()) {
    if (!options.classes.empty()) {
      throw InvalidArgument("show samples: both indices and classes are given; choose one of the two");
    }
    for (const std::int64_t index : options.indices) check_index(split, index);
    return options.indices;
  }
  if (options.first < 0 || options.first >= split.sample_count()) {
    throw InvalidArgument("show samples from index " + std::to_string(options.first) + ": split " + split.name() +
                          " has " + std::to_string(split.sample_count()) + " samples, counted from 0; start at one");
  }
  if (!options.classes.empty()) return samples_of_classes(split, options);
  std::vector<std::int64_t> indices;
  const std::int64_t count = std::min(options.count, split.sample_count() - options.first);
  for (std::int64_t i = 0; i < count; ++i) indices.push_back(options.first + i);
  return indices;
}

}  // namespace octavo
