#include "arrays/label_array.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <octavo/errors.hpp>

#include "dataset_file/limits.hpp"

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

std::vector<double> read_numbers(Array& labels) {
  const std::int64_t width = width_of(labels);
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

std::int32_t class_number(const Array& labels, std::size_t row, double number, LabelNumbering numbering) {
  if (numbering == LabelNumbering::from_one) number -= 1.0;
  if (numbering == LabelNumbering::ten_is_zero && number == 10.0) number = 0.0;
  if (number < 0.0 || number > std::numeric_limits<std::int32_t>::max()) {
    refuse_labels(labels, "label " + std::to_string(row) + " is not a class number from 0 to 2147483647");
  }
  return static_cast<std::int32_t>(number);
}

LabelTable class_labels(const Array& labels, const std::vector<double>& numbers, LabelNumbering numbering) {
  LabelTable table = {{LabelKind::class_index, 1}, {}};
  table.labels.reserve(numbers.size() * 4);
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    append(table.labels, class_number(labels, row, numbers[row], numbering));
  }
  return table;
}

template <typename Stored>
LabelTable plain_labels(LabelKind kind, std::int64_t width, const std::vector<double>& numbers) {
  LabelTable table = {{kind, width}, {}};
  table.labels.reserve(numbers.size() * sizeof(Stored));
  for (const double number : numbers) append(table.labels, static_cast<Stored>(number));
  return table;
}

}  // namespace

LabelTable read_labels(Array& labels, LabelNumbering numbering, std::int64_t image_count) {
  if (labels.row_count() != image_count) {
    refuse_labels(labels, "there are " + std::to_string(labels.row_count()) + ", but there are " +
                              std::to_string(image_count) + " images; give the matching labels");
  }
  const std::int64_t width = width_of(labels);
  const std::vector<double> numbers = read_numbers(labels);
  const bool are_whole = is_integer(labels.element());
  if (are_whole && width == 1) return class_labels(labels, numbers, numbering);
  const bool are_bits = std::all_of(numbers.begin(), numbers.end(), [](double n) { return n == 0.0 || n == 1.0; });
  if (are_whole && are_bits) return plain_labels<std::int32_t>(LabelKind::multi_label, width, numbers);
  if (!std::all_of(numbers.begin(), numbers.end(), [](double n) { return std::isfinite(n); })) {
    refuse_labels(labels, "they contain NaN or infinity");
  }
  return plain_labels<float>(LabelKind::target, width, numbers);
}

}  // namespace octavo::arrays
