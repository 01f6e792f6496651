#include "sources/readers/array_source.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <octavo/errors.hpp>

#include "format/limits.hpp"
#include "sources/multi_labels.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

Color color_of(std::int64_t channels) {
  if (channels == 1) return Color::gray;
  return channels == 3 ? Color::rgb : Color::other;
}

}  // namespace

ArraySource::ArraySource(arrays::ArraySet set, arrays::LabelTable labels, std::vector<ChannelQuantization> quantization)
    : set_(std::move(set)), axes_(arrays::image_axes(*set_.images, set_.order)), labels_(std::move(labels)) {
  const std::int64_t count = set_.images->row_count();
  // The writer would also find this, but it does not know the file.
  if (const auto problem = dataset_file::layout_problem(axes_.shape, {}, count)) {
    throw FormatError("read " + quoted(set_.files.at(0)) + ": " + *problem);
  }
  if (!set_.class_names.empty()) set_.class_count = std::ssize(set_.class_names);
  splits_.push_back({set_.split, count, axes_.shape, labels_.layout, color_of(axes_.shape.channels),
                     arrays::name_of(set_.images->element()), quantization});
  if (quantization.empty()) return;
  quantizer_ = std::make_unique<arrays::Quantizer>(std::move(quantization), set_.images->element(), count);
}

std::string ArraySource::sample_name(std::size_t, std::int64_t row) const {
  return set_.sample_prefix + "#" + std::to_string(row);
}

std::optional<std::int32_t> ArraySource::class_index(std::size_t, std::int64_t row) const {
  if (labels_.layout.kind != LabelKind::class_index || is_unlabeled(row)) return std::nullopt;
  std::int32_t label;
  std::memcpy(&label, labels_.labels.data() + 4 * row, sizeof label);
  return label;
}

bool ArraySource::is_unlabeled(std::int64_t row) const {
  return std::ranges::binary_search(labels_.unlabeled, row, {}, &arrays::Unlabeled::row);
}

std::vector<std::int32_t> ArraySource::class_indices(std::size_t split, std::int64_t row) const {
  if (labels_.layout.kind != LabelKind::multi_label) return Source::class_indices(split, row);
  const auto label_bytes = static_cast<std::size_t>(labels_.layout.bytes_per_sample());
  return classes_of_multi_labels(
      std::span(labels_.labels).subspan(static_cast<std::size_t>(row) * label_bytes, label_bytes));
}

void ArraySource::check_label(std::int64_t row, std::vector<SampleFailure>& failures) const {
  const auto missing = std::ranges::lower_bound(labels_.unlabeled, row, {}, &arrays::Unlabeled::row);
  if (missing != labels_.unlabeled.end() && missing->row == row) {
    failures.push_back({row, sample_name(0, row), missing->reason});
    return;
  }
  const auto label = class_index(0, row);
  if (!label || set_.class_count == 0 || *label < set_.class_count) return;
  failures.push_back(
      {row, sample_name(0, row),
       "its label is " + std::to_string(*label) + ", the largest class is " + std::to_string(set_.class_count - 1)});
}

std::vector<SampleFailure> ArraySource::read(std::size_t, std::int64_t first_row, std::int64_t count,
                                             std::span<std::uint8_t> values, std::span<std::byte> labels) {
  const std::byte* const first_label = labels_.labels.data() + first_row * labels_.layout.bytes_per_sample();
  std::copy(first_label, first_label + labels.size(), labels.begin());
  std::vector<SampleFailure> failures;
  if (!quantizer_ && axes_.is_planar()) {
    set_.images->read_rows(first_row, count, std::as_writable_bytes(values));
    for (std::int64_t i = 0; i < count; ++i) check_label(first_row + i, failures);
    return failures;
  }

  const auto row_bytes = static_cast<std::size_t>(set_.images->row_bytes());
  const auto row_values = static_cast<std::size_t>(axes_.shape.values());
  std::vector<std::byte> rows(static_cast<std::size_t>(count) * row_bytes);
  set_.images->read_rows(first_row, count, rows);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::int64_t row = first_row + static_cast<std::int64_t>(i);
    const auto stored = std::span<const std::byte>(rows).subspan(i * row_bytes, row_bytes);
    const auto made = values.subspan(i * row_values, row_values);
    if (!quantizer_) {
      arrange(stored, made);
    } else if (!quantize(row, stored, made)) {
      failures.push_back({row, sample_name(0, row), "it contains NaN or infinity"});
      continue;
    }
    check_label(row, failures);
  }
  return failures;
}

void ArraySource::arrange(std::span<const std::byte> row, std::span<std::uint8_t> values) const {
  std::uint8_t* to = values.data();
  for (std::int64_t c = 0; c < axes_.shape.channels; ++c) {
    for (std::int64_t h = 0; h < axes_.shape.height; ++h) {
      const std::byte* from = row.data() + c * axes_.channel_step + h * axes_.row_step;
      for (std::int64_t w = 0; w < axes_.shape.width; ++w, from += axes_.column_step) {
        *to++ = std::to_integer<std::uint8_t>(*from);
      }
    }
  }
}

/// Returns false if the sample has a number that is not finite.
bool ArraySource::quantize(std::int64_t row, std::span<const std::byte> stored, std::span<std::uint8_t> values) {
  std::vector<double> numbers(values.size());
  arrays::to_doubles(set_.images->element(), stored, numbers);
  if (!std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); })) return false;
  arrays::Quantizer::Sample sample(*quantizer_);
  std::uint8_t* to = values.data();
  for (std::int64_t c = 0; c < axes_.shape.channels; ++c) {
    for (std::int64_t h = 0; h < axes_.shape.height; ++h) {
      const double* from = numbers.data() + c * axes_.channel_step + h * axes_.row_step;
      for (std::int64_t w = 0; w < axes_.shape.width; ++w, from += axes_.column_step) {
        *to++ = sample.quantize(static_cast<std::size_t>(c), *from);
      }
    }
  }
  quantizer_->add(row, sample);
  return true;
}

std::vector<std::string> ArraySource::files() const {
  std::vector<std::string> files;
  for (const auto& file : set_.files) files.push_back(file.string());
  return files;
}

SourceNotes ArraySource::notes() const {
  SourceNotes notes;
  notes.lacks_labels = labels_.layout.kind == LabelKind::none;
  if (notes.lacks_labels) notes.label_problem = set_.label_problem;
  notes.remarks = set_.remarks;
  if (quantizer_) notes.quantized.push_back(quantizer_->notes(set_.split));
  return notes;
}

}  // namespace octavo::sources
