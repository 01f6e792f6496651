#include "view/sheet.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <octavo/errors.hpp>

#include "support/checked_math.hpp"

namespace octavo::view {
namespace {

constexpr std::int64_t kMostPixels = std::int64_t{1} << 28;
/// Width and gray value of the lines.
constexpr std::int64_t kLine = 1;
constexpr std::uint8_t kLineGray = 96;
/// The default scale enlarges a sample's longer side to about this many pixels.
constexpr std::int64_t kReadableSide = 64;

std::int64_t readable_scale(const SampleShape& sample) {
  return std::max<std::int64_t>(1, kReadableSide / std::max(sample.height, sample.width));
}

/// The number of columns that makes the sheet about square.
std::int64_t square_columns(const SampleShape& sample, std::int64_t count) {
  const double ratio = static_cast<double>(sample.height) / static_cast<double>(sample.width);
  const auto columns = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count) * ratio)));
  return std::clamp<std::int64_t>(columns, 1, count);
}

/// Pixels along one axis: `cells` samples, and lines before, between and after them. Empty on overflow.
std::optional<std::int64_t> extent(std::int64_t cells, std::int64_t values, std::int64_t scale) {
  const auto cell = checked_product({values, scale});
  const auto with_line = cell ? checked_sum(*cell, kLine) : std::nullopt;
  const auto all = with_line ? checked_product({cells, *with_line}) : std::nullopt;
  return all ? checked_sum(*all, kLine) : std::nullopt;
}

}  // namespace

Sheet::Sheet(const SheetPlan& plan) : sample_(plan.sample) {
  if (plan.columns < 0 || plan.scale < 0) {
    throw InvalidArgument(
        "draw a contact sheet: columns and scale must not be negative; leave them out for a good size");
  }
  columns_ = plan.columns > 0 ? std::min(plan.columns, plan.count) : square_columns(sample_, plan.count);
  scale_ = plan.scale > 0 ? plan.scale : readable_scale(sample_);
  channels_ = sample_.channels == 3 ? 3 : 1;
  const auto wide = extent(columns_, sample_.width, scale_);
  const auto high = extent((plan.count + columns_ - 1) / columns_, sample_.height, scale_);
  const auto pixels = wide && high ? checked_product({*wide, *high}) : std::nullopt;
  if (!pixels || *pixels > kMostPixels) {
    throw InvalidArgument("draw a contact sheet of " + std::to_string(plan.count) + " samples " + to_string(sample_) +
                          ": it would have more than 2^28 pixels; ask for fewer samples or a smaller scale");
  }
  width_ = *wide;
  height_ = *high;
  pixels_.assign(static_cast<std::size_t>(*pixels * channels_), kLineGray);
}

void Sheet::draw(std::int64_t cell, std::span<const std::uint8_t> values) {
  const std::int64_t left = kLine + cell % columns_ * (sample_.width * scale_ + kLine);
  const std::int64_t top = kLine + cell / columns_ * (sample_.height * scale_ + kLine);
  for (std::int64_t y = 0; y < sample_.height * scale_; ++y) {
    std::uint8_t* pixel = pixels_.data() + ((top + y) * width_ + left) * channels_;
    for (std::int64_t x = 0; x < sample_.width * scale_; ++x) {
      const std::int64_t value = y / scale_ * sample_.width + x / scale_;
      for (std::int64_t c = 0; c < channels_; ++c) {
        *pixel++ = values[static_cast<std::size_t>(c * sample_.values_per_channel() + value)];
      }
    }
  }
}

}  // namespace octavo::view
