#include "doctor/truncation.hpp"

#include <algorithm>

namespace octavo::doctor {
namespace {

constexpr std::uint8_t kDarkestFill = 127, kBrightestFill = 129;
/// Smaller images have no room for content and a fill.
constexpr std::int64_t kSmallestSide = 8;
/// A fill is at least this part of the rows, and at least two: less may be chance.
constexpr std::int64_t kFillDivisor = 32;

bool is_filled(std::span<const std::uint8_t> values, const SampleShape& shape, std::int64_t row, std::uint8_t fill) {
  const auto width = static_cast<std::size_t>(shape.width);
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    const auto line = values.subspan(static_cast<std::size_t>((c * shape.height + row) * shape.width), width);
    if (!std::ranges::all_of(line, [&](std::uint8_t value) { return value == fill; })) return false;
  }
  return true;
}

}  // namespace

bool looks_truncated(std::span<const std::uint8_t> values, const SampleShape& shape) {
  if (shape.height < kSmallestSide || shape.width < kSmallestSide) return false;
  const std::uint8_t fill = values.back();
  if (fill < kDarkestFill || fill > kBrightestFill) return false;
  std::int64_t filled_rows = 0;
  while (filled_rows < shape.height && is_filled(values, shape, shape.height - 1 - filled_rows, fill)) ++filled_rows;
  const bool is_part = filled_rows >= std::max<std::int64_t>(2, shape.height / kFillDivisor);
  return is_part && filled_rows < shape.height && !is_filled(values, shape, 0, fill);
}

}  // namespace octavo::doctor
