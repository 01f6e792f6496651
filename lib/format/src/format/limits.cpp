#include "format/limits.hpp"

#include <array>
#include <cmath>

#include "support/checked_math.hpp"

namespace octavo::dataset_file {
namespace {

/// The names in the index; "class" is "class_index" there.
constexpr std::array<std::string_view, 4> kStoredLabelKinds = {"none", "class_index", "multi_label", "target"};
constexpr std::array<std::string_view, 3> kColors = {"gray", "rgb", "other"};

std::optional<std::string> layout_problem(const LabelLayout& labels) {
  const std::int64_t width = labels.width;
  if (labels.kind == LabelKind::none && width != 0) return "no labels, but a label width of " + std::to_string(width);
  if (labels.kind == LabelKind::class_index && width != 1) {
    return "class labels have 1 number per sample, not " + std::to_string(width);
  }
  if (labels.kind != LabelKind::none && (width < 1 || width > kMostLabelWidth)) {
    return std::to_string(width) + " labels per sample; expected 1 to " + std::to_string(kMostLabelWidth);
  }
  return std::nullopt;
}

template <typename Enum, std::size_t kCount>
std::optional<Enum> value_of(const std::array<std::string_view, kCount>& words, std::string_view text) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (words[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> layout_problem(const SampleShape& shape, const LabelLayout& labels,
                                          std::int64_t sample_count) {
  if (shape.channels < 1 || shape.height < 1 || shape.width < 1 || shape.channels > kMostChannels) {
    return "samples of " + to_string(shape) + "; every axis must be at least 1 and the channels at most " +
           std::to_string(kMostChannels);
  }
  const auto values = checked_product({shape.channels, shape.height, shape.width});
  if (!values || *values > kMostSampleBytes) return "samples of " + to_string(shape) + ": 2 GiB or more each";
  if (sample_count < 1) return std::to_string(sample_count) + " samples; expected at least 1";
  auto problem = layout_problem(labels);
  if (problem) return problem;
  const auto bytes_per_sample = *values + labels.bytes_per_sample() + 8;
  const auto total = checked_product({sample_count, bytes_per_sample});
  if (!total || *total > kMostSplitBytes) {
    return std::to_string(sample_count) + " samples of " + to_string(shape) + ": more than a file can hold";
  }
  return std::nullopt;
}

std::optional<std::string> quantization_problem(const std::vector<ChannelQuantization>& quantization,
                                                std::int64_t channels) {
  if (static_cast<std::int64_t>(quantization.size()) != channels) {
    return std::to_string(quantization.size()) + " scales for " + std::to_string(channels) + " channels";
  }
  for (const ChannelQuantization& one : quantization) {
    if (!std::isfinite(one.scale) || !std::isfinite(one.zero_point) || one.scale == 0.0) {
      return "a scale is 0 or not finite, or a zero point is not finite";
    }
  }
  return std::nullopt;
}

std::string_view to_text(LabelKind kind) { return kStoredLabelKinds[static_cast<std::size_t>(kind)]; }
std::string_view to_text(Color color) { return kColors[static_cast<std::size_t>(color)]; }
std::optional<LabelKind> label_kind_of(std::string_view text) { return value_of<LabelKind>(kStoredLabelKinds, text); }
std::optional<Color> color_of(std::string_view text) { return value_of<Color>(kColors, text); }

}  // namespace octavo::dataset_file
