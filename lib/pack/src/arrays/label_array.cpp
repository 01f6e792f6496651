#include "arrays/label_array.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <octavo/errors.hpp>

#include "format/limits.hpp"
#include "support/text/text_units.hpp"

namespace octavo::arrays {
namespace {

constexpr std::int64_t kRowsAtOnce = 65536;

[[noreturn]] void refuse_labels(const Array& labels, const std::string& problem) {
  throw FormatError("read the labels " + labels.name() + ": " + problem);
}

/// The number of values per label.
std::int64_t width_of(const Array& labels) {
  const std::int64_t width = labels.row_bytes() / bytes_of(labels.element());
  if (labels.axes().size() > 2 && width != 1) {
    refuse_labels(labels, "their shape is " + axes_text(labels.axes()) + "; labels have one axis, or two");
  }
  if (width > dataset_file::kMostLabelWidth) {
    refuse_labels(labels, "there are " + std::to_string(width) + " per image; at most " +
                              std::to_string(dataset_file::kMostLabelWidth) + " are supported");
  }
  return width;
}

/// Whether the labels are a row, [1,N], of one number for each of several images.
bool is_row_of(std::int64_t image_count, const Array& labels) {
  const auto& axes = labels.axes();
  return image_count > 1 && axes.size() == 2 && axes[0] == 1 && axes[1] == image_count;
}

std::vector<double> read_numbers(Array& labels) {
  const std::int64_t width = labels.row_bytes() / bytes_of(labels.element());
  std::vector<double> numbers(static_cast<std::size_t>(labels.row_count() * width));
  std::vector<std::byte> bytes;
  for (std::int64_t first = 0; first < labels.row_count(); first += kRowsAtOnce) {
    const std::int64_t count = std::min(kRowsAtOnce, labels.row_count() - first);
    bytes.resize(static_cast<std::size_t>(count * labels.row_bytes()));
    labels.read_rows(first, count, bytes);
    to_doubles(
        labels.element(), bytes,
        std::span(numbers).subspan(static_cast<std::size_t>(first * width), static_cast<std::size_t>(count * width)));
  }
  return numbers;
}

template <typename Number>
void append(std::vector<std::byte>& bytes, Number number) {
  const auto* const begin = reinterpret_cast<const std::byte*>(&number);
  bytes.insert(bytes.end(), begin, begin + sizeof number);
}

/// A class number that marks a sample without a class, in scikit-learn, PyTorch and Hugging Face datasets.
constexpr double kNoClass = -1.0;

bool is_whole(double number) { return std::isfinite(number) && number == std::rint(number); }

/// "3000000000", "0.5".
std::string number_text(double number) {
  if (is_whole(number) && std::abs(number) < 1e15) return std::to_string(static_cast<std::int64_t>(number));
  return formatted("%.6g", number);
}

/// SVHN's digits have all of the classes 1 to 10 and no other.
bool are_svhn_digits(const std::vector<double>& numbers) {
  std::array<bool, 11> found{};
  for (const double number : numbers) {
    if (!(number >= 1.0 && number <= 10.0)) return false;
    found[static_cast<std::size_t>(number)] = true;
  }
  return std::ranges::count(found, true) == 10;
}

LabelTable class_labels(const Array& labels, const std::vector<double>& numbers, LabelNumbering numbering) {
  LabelTable table = {.layout = {LabelKind::class_index, 1}};
  table.is_ten_zero = numbering == LabelNumbering::svhn_digits && are_svhn_digits(numbers);
  table.labels.reserve(numbers.size() * 4);
  const double first_class = numbering == LabelNumbering::from_one ? 1.0 : 0.0;
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    double number = numbers[row] - first_class;
    if (table.is_ten_zero && number == 10.0) number = 0.0;
    if (std::isnan(number) || numbers[row] == kNoClass) {
      table.unlabeled.push_back({static_cast<std::int64_t>(row),
                                 std::isnan(number) ? "its label is missing (NaN)" : "its label is missing (-1)"});
      number = 0.0;
    }
    if (!is_whole(number) || number < 0.0 || number > std::numeric_limits<std::int32_t>::max()) {
      refuse_labels(labels, "label " + std::to_string(row) + " is " + number_text(numbers[row]) +
                                ", which is not a class number from " + number_text(first_class) +
                                " to 2147483647; correct it, or read all labels as targets with `label_kind=target`");
    }
    append(table.labels, static_cast<std::int32_t>(number));
  }
  return table;
}

LabelTable multi_labels(std::int64_t width, const std::vector<double>& numbers) {
  LabelTable table = {.layout = {LabelKind::multi_label, width}};
  table.labels.reserve(numbers.size() * sizeof(std::int32_t));
  for (const double number : numbers) append(table.labels, static_cast<std::int32_t>(number));
  return table;
}

LabelTable targets(const Array& labels, std::int64_t width, const std::vector<double>& numbers) {
  LabelTable table = {.layout = {LabelKind::target, width}};
  table.labels.reserve(numbers.size() * sizeof(float));
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    const auto row = static_cast<std::int64_t>(at) / width;
    const auto target = static_cast<float>(numbers[at]);
    if (std::isinf(target)) {
      refuse_labels(labels, "label " + std::to_string(row) + " is " + number_text(numbers[at]) +
                                ", which is infinite or too large for a 32-bit float; correct it");
    }
    const bool is_listed = !table.unlabeled.empty() && table.unlabeled.back().row == row;
    if (std::isnan(target) && !is_listed) table.unlabeled.push_back({row, "its label is missing (NaN)"});
    append(table.labels, std::isnan(target) ? 0.0F : target);
  }
  return table;
}

}  // namespace

LabelTable read_labels(Array& labels, const LabelRules& rules, std::int64_t image_count) {
  const bool is_row = is_row_of(image_count, labels);
  if (labels.row_count() != image_count && !is_row) {
    refuse_labels(labels, "there are " + std::to_string(labels.row_count()) + ", but there are " +
                              std::to_string(image_count) + " images; give the matching labels");
  }
  const std::int64_t width = is_row ? 1 : width_of(labels);
  const std::vector<double> numbers = read_numbers(labels);
  if (rules.wanted == LabelKind::target) return targets(labels, width, numbers);
  const auto may_be_class = [](double number) { return std::isnan(number) || is_whole(number); };
  const bool are_classes = is_integer(labels.element()) || rules.wanted == LabelKind::class_index ||
                           (rules.are_whole_labels_classes && std::ranges::all_of(numbers, may_be_class));
  if (are_classes && width == 1) return class_labels(labels, numbers, rules.numbering);
  const bool are_bits = std::ranges::all_of(numbers, [](double number) { return number == 0.0 || number == 1.0; });
  if (are_classes && are_bits) return multi_labels(width, numbers);
  return targets(labels, width, numbers);
}

}  // namespace octavo::arrays
