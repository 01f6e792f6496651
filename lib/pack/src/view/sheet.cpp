#include "view/sheet.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <octavo/errors.hpp>

#include "support/checked_math.hpp"
#include "view/glyphs.hpp"
#include "view/mask_overlay.hpp"

namespace octavo::view {
namespace {

constexpr std::int64_t kMostPixels = std::int64_t{1} << 28;
/// Width and gray value of the lines.
constexpr std::int64_t kLine = 1;
constexpr std::uint8_t kLineGray = 96;
/// The default scale enlarges a sample's longer side to about this many pixels.
constexpr std::int64_t kReadableSide = 64;
/// Pixels of a character and the blank after it, and of a caption and the blanks above and below it.
constexpr std::int64_t kAdvance = kGlyphWidth + 1, kCaptionHeight = kGlyphHeight + 2;
/// Blank pixels on the left and right of a caption, which separate it from its neighbors.
constexpr std::int64_t kLeftMargin = 1, kRightMargin = 2;
/// Captions are enlarged in cells that are this many pixels wide, since sheets of them are shown reduced.
constexpr std::int64_t kCaptionCellWidth = 160;
constexpr std::uint8_t kNameGray = 255, kIndexGray = 192;
/// Of the legend, in pixels of characters: a sign and the blank after it; blanks between entries, in characters; and
/// the width of a sheet from which on its characters are enlarged.
constexpr std::int64_t kSignAdvance = kGlyphHeight + 3, kLegendGap = 2, kLegendWidth = 640;

std::int64_t readable_scale(const SampleShape& sample) {
  return std::max<std::int64_t>(1, kReadableSide / std::max(sample.height, sample.width));
}

/// The number of columns that makes the sheet about square.
std::int64_t square_columns(const SampleShape& sample, std::int64_t count) {
  const double ratio = static_cast<double>(sample.height) / static_cast<double>(sample.width);
  const auto columns = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count) * ratio)));
  return std::clamp<std::int64_t>(columns, 1, count);
}

/// Pixels along one axis: `cells` samples with `below` pixels each, and lines before, between and after them. Empty on
/// overflow.
std::optional<std::int64_t> extent(std::int64_t cells, std::int64_t values, std::int64_t scale, std::int64_t below) {
  const auto cell = checked_product({values, scale});
  const auto with_line = cell ? checked_sum(*cell, kLine + below) : std::nullopt;
  const auto all = with_line ? checked_product({cells, *with_line}) : std::nullopt;
  return all ? checked_sum(*all, kLine) : std::nullopt;
}

/// The number of characters that fit below a cell of this width.
std::int64_t room_for_text(std::int64_t cell_width, std::int64_t scale) {
  return (cell_width - (kLeftMargin + kRightMargin) * scale) / (kAdvance * scale);
}

/// Zero if not even one character fits below a cell of this width.
std::int64_t text_scale(std::int64_t cell_width) {
  return room_for_text(cell_width, 1) < 1 ? 0 : std::max<std::int64_t>(1, cell_width / kCaptionCellWidth);
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
  const auto wide = extent(columns_, sample_.width, scale_, 0);
  if (plan.has_captions && wide) text_scale_ = text_scale(sample_.width * scale_);
  const std::int64_t rows = (plan.count + columns_ - 1) / columns_;
  const auto high = extent(rows, sample_.height, scale_, kCaptionHeight * text_scale_);
  if (wide) width_ = *wide;
  const std::int64_t legend_height = channels_ == 3 && wide ? arrange_legend(plan.legend) : 0;
  const auto height = high ? checked_sum(*high, legend_height) : std::nullopt;
  const auto pixels = wide && height ? checked_product({*wide, *height}) : std::nullopt;
  if (!pixels || *pixels > kMostPixels) {
    throw InvalidArgument("draw a contact sheet of " + std::to_string(plan.count) + " samples " + to_string(sample_) +
                          ": it would have more than 2^28 pixels; ask for fewer samples or a smaller scale");
  }
  legend_top_ = *high;
  height_ = *height;
  pixels_.assign(static_cast<std::size_t>(*pixels * channels_), kLineGray);
}

void Sheet::draw(std::int64_t cell, std::span<const std::uint8_t> values) {
  const std::int64_t left = left_of(cell), top = top_of(cell);
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

void Sheet::write(std::int64_t cell, const Caption& caption) {
  if (text_scale_ == 0) return;
  const std::int64_t cell_width = sample_.width * scale_;
  const CaptionLine line = fit_caption(caption, room_for_text(cell_width, text_scale_));
  const std::int64_t left = left_of(cell), top = top_of(cell) + sample_.height * scale_ + text_scale_;
  // The blank after the last character is part of the margin.
  const std::int64_t right = left + cell_width - (kRightMargin + std::ssize(line.right) * kAdvance) * text_scale_;
  write(line.left, left + kLeftMargin * text_scale_, top, text_scale_, kNameGray);
  write(line.right, right, top, text_scale_, kIndexGray);
}

std::int64_t Sheet::arrange_legend(const std::vector<MaskShare>& shares) {
  if (shares.empty()) return 0;
  legend_scale_ = std::max<std::int64_t>(1, width_ / kLegendWidth);
  const std::int64_t room = (width_ - 2 * kLine) / legend_scale_;
  std::int64_t left = 0, row = 0;
  for (const MaskShare& share : shares) {
    const std::string text = in_ascii(to_text(share) + "  " + percent_text(share.share));
    const std::int64_t entry_width = kSignAdvance + (std::ssize(text) + kLegendGap) * kAdvance;
    if (left > 0 && left + entry_width > room) {
      left = 0;
      ++row;
    }
    legend_.push_back({share.value, text, left, row});
    left += entry_width;
  }
  return (row + 1) * kCaptionHeight * legend_scale_ + kLine;
}

void Sheet::write_legend() {
  for (const LegendEntry& entry : legend_) {
    const std::int64_t left = kLine + (kLeftMargin + entry.left) * legend_scale_;
    const std::int64_t top = legend_top_ + (entry.row * kCaptionHeight + 1) * legend_scale_;
    draw_sign(entry.value, kGlyphHeight * legend_scale_, [&](std::int64_t x, std::int64_t y, const MaskColor& color) {
      if (left + x >= width_) return;
      std::ranges::copy(color, pixels_.data() + ((top + y) * width_ + left + x) * channels_);
    });
    const std::int64_t text_left = left + kSignAdvance * legend_scale_;
    const std::int64_t room = std::max<std::int64_t>(0, (width_ - kLine - text_left) / (kAdvance * legend_scale_));
    write(entry.text.substr(0, static_cast<std::size_t>(room)), text_left, top, legend_scale_, kNameGray);
  }
}

std::int64_t Sheet::left_of(std::int64_t cell) const {
  return kLine + cell % columns_ * (sample_.width * scale_ + kLine);
}

std::int64_t Sheet::top_of(std::int64_t cell) const {
  return kLine + cell / columns_ * (sample_.height * scale_ + kCaptionHeight * text_scale_ + kLine);
}

void Sheet::write(const std::string& text, std::int64_t left, std::int64_t top, std::int64_t scale, std::uint8_t gray) {
  for (std::int64_t y = 0; y < kGlyphHeight * scale; ++y) {
    for (std::int64_t x = 0; x < std::ssize(text) * kAdvance * scale; ++x) {
      const std::int64_t column = x / scale % kAdvance;
      const char character = text[static_cast<std::size_t>(x / scale / kAdvance)];
      if (column == kGlyphWidth || !is_inked(character, column, y / scale)) continue;
      std::uint8_t* const pixel = pixels_.data() + ((top + y) * width_ + left + x) * channels_;
      std::fill_n(pixel, channels_, gray);
    }
  }
}

}  // namespace octavo::view
