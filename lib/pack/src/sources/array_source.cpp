#include "sources/array_source.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <octavo/errors.hpp>

#include "dataset_file/limits.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

// Rounding errors are summed as integer multiples of this fraction of a step, so that the order does not matter.
constexpr double kRoundingUnit = 1 << 20;

Color color_of(std::int64_t channels) {
  if (channels == 1) return Color::gray;
  return channels == 3 ? Color::rgb : Color::other;
}

}  // namespace

ArraySource::ArraySource(arrays::ArraySet set, std::vector<ChannelQuantization> quantization)
    : set_(std::move(set)),
      axes_(arrays::image_axes(*set_.images, set_.order)),
      quantization_(std::move(quantization)),
      losses_(quantization_.size()) {
  const std::int64_t count = set_.images->row_count();
  // The writer would also find this, but it does not know the file.
  if (const auto problem = dataset_file::layout_problem(axes_.shape, {}, count)) {
    throw FormatError("read " + quoted(set_.files.at(0)) + ": " + *problem);
  }
  if (set_.labels) labels_ = arrays::read_labels(*set_.labels, set_.numbering, count);
  if (!set_.class_names.empty()) set_.class_count = std::ssize(set_.class_names);
  splits_.push_back({set_.split, count, axes_.shape, labels_.layout, color_of(axes_.shape.channels),
                     arrays::name_of(set_.images->element()), quantization_});
}

std::string ArraySource::sample_name(std::size_t, std::int64_t row) const {
  return set_.sample_prefix + "#" + std::to_string(row);
}

std::optional<std::int32_t> ArraySource::class_index(std::size_t, std::int64_t row) const {
  if (labels_.layout.kind != LabelKind::class_index) return std::nullopt;
  std::int32_t label;
  std::memcpy(&label, labels_.labels.data() + 4 * row, sizeof label);
  return label;
}

void ArraySource::check_label(std::int64_t row, std::vector<SampleFailure>& failures) const {
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
  if (quantization_.empty() && axes_.is_planar()) {
    set_.images->read_rows(first_row, count, std::as_writable_bytes(values));
    for (std::int64_t i = 0; i < count; ++i) check_label(first_row + i, failures);
    return failures;
  }

  const auto row_bytes = static_cast<std::size_t>(set_.images->row_bytes());
  const auto row_values = static_cast<std::size_t>(axes_.shape.values());
  std::vector<std::byte> rows(static_cast<std::size_t>(count) * row_bytes);
  set_.images->read_rows(first_row, count, rows);
  std::vector<Loss> losses(quantization_.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::int64_t row = first_row + static_cast<std::int64_t>(i);
    const auto stored = std::span<const std::byte>(rows).subspan(i * row_bytes, row_bytes);
    const auto made = values.subspan(i * row_values, row_values);
    if (quantization_.empty()) {
      arrange(stored, made);
    } else if (!quantize(stored, made, losses)) {
      failures.push_back({row, sample_name(0, row), "it contains NaN or infinity"});
      continue;
    }
    check_label(row, failures);
  }
  const std::lock_guard lock(mutex_);
  for (std::size_t c = 0; c < losses.size(); ++c) {
    losses_[c].largest = std::max(losses_[c].largest, losses[c].largest);
    losses_[c].rounding_sum += losses[c].rounding_sum;
    losses_[c].clipped_count += losses[c].clipped_count;
    losses_[c].count += losses[c].count;
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

bool ArraySource::quantize(std::span<const std::byte> row, std::span<std::uint8_t> values,
                           std::vector<Loss>& losses) const {
  std::vector<double> numbers(values.size());
  arrays::to_doubles(set_.images->element(), row, numbers);
  if (!std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); })) return false;
  std::uint8_t* to = values.data();
  for (std::int64_t c = 0; c < axes_.shape.channels; ++c) {
    const ChannelQuantization map = quantization_[static_cast<std::size_t>(c)];
    Loss& loss = losses[static_cast<std::size_t>(c)];
    for (std::int64_t h = 0; h < axes_.shape.height; ++h) {
      const double* from = numbers.data() + c * axes_.channel_step + h * axes_.row_step;
      for (std::int64_t w = 0; w < axes_.shape.width; ++w, from += axes_.column_step) {
        const double exact = (*from - map.zero_point) / map.scale;
        const double rounded = std::rint(exact);
        const double value = std::clamp(rounded, 0.0, 255.0);
        loss.largest = std::max(loss.largest, std::abs(map.scale * value + map.zero_point - *from));
        loss.rounding_sum += std::llround(std::abs(rounded - exact) * kRoundingUnit);
        loss.clipped_count += value != rounded ? 1 : 0;
        *to++ = static_cast<std::uint8_t>(value);
      }
    }
    loss.count += axes_.shape.values_per_channel();
  }
  return true;
}

std::vector<std::string> ArraySource::files() const {
  std::vector<std::string> files;
  for (const auto& file : set_.files) files.push_back(file.string());
  return files;
}

SourceNotes ArraySource::notes() const {
  SourceNotes notes;
  notes.lacks_labels = !set_.labels;
  const std::lock_guard lock(mutex_);
  if (quantization_.empty()) return notes;
  QuantizationNotes quantized{set_.split, arrays::name_of(set_.images->element()), {}};
  for (std::size_t c = 0; c < quantization_.size(); ++c) {
    const Loss& loss = losses_[c];
    const double sum = static_cast<double>(loss.rounding_sum) / kRoundingUnit * quantization_[c].scale;
    quantized.channels.push_back({.low = quantization_[c].zero_point,
                                  .high = quantization_[c].zero_point + 255.0 * quantization_[c].scale,
                                  .largest_error = loss.largest,
                                  .mean_rounding = loss.count > 0 ? sum / static_cast<double>(loss.count) : 0.0,
                                  .clipped = loss.clipped_count});
  }
  notes.quantized.push_back(std::move(quantized));
  return notes;
}

}  // namespace octavo::sources
