// Our own reader, because netpbm's library exits the process on an error, and stb_image supports neither bitmaps nor
// decimal numbers nor maximum values other than 255 and 65535.
#include "images/pnm/pnm_decoder.hpp"

#include <algorithm>
#include <vector>

#include <octavo/errors.hpp>

#include "images/alpha.hpp"
#include "images/pnm/pnm_header.hpp"
#include "images/pnm/pnm_tokens.hpp"

namespace octavo::images {
namespace {

[[noreturn]] void refuse_cut_pnm() { throw FormatError("its PNM data are cut short"); }

/// Reads the file's values sequentially, as stored; in bitmaps, 0 or 1 is the largest value.
class PnmValues {
 public:
  PnmValues(std::span<const std::byte> file, const PnmLayout& layout)
      : layout_(layout), data_(file.subspan(std::min(layout.pixels_at, file.size()))), tokens_(data_, 0) {
    if (!layout.is_plain) find_rows(file);
  }

  Oddities oddities() const { return oddities_; }

  void read_row(std::int64_t y, std::span<std::uint16_t> values) {
    if (layout_.is_plain) {
      for (std::uint16_t& value : values) value = layout_.is_bitmap ? plain_bit() : plain_value();
      return;
    }
    const auto row = data_.subspan(static_cast<std::size_t>(y * layout_.row_bytes()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = layout_.is_bitmap ? bit(row, i) : layout_.largest > 255 ? wide_value(row, i) : value(byte(row, i));
    }
  }

 private:
  void find_rows(std::span<const std::byte> file) {
    const PnmPixels pixels = find_pnm_pixels(file, layout_);
    if (pixels.follow_comment) oddities_.add(Oddity::comment_before_pixels);
    data_ = file.subspan(std::min(pixels.at, file.size()));
    const auto row_bytes = static_cast<std::size_t>(layout_.row_bytes()),
               rows = static_cast<std::size_t>(layout_.height);
    if (data_.size() / row_bytes < rows) refuse_cut_pnm();
    if (is_pnm(data_.subspan(rows * row_bytes))) oddities_.add(Oddity::more_pages);
  }

  static int byte(std::span<const std::byte> row, std::size_t at) { return std::to_integer<int>(row[at]); }
  static std::uint16_t bit(std::span<const std::byte> row, std::size_t i) {
    return (byte(row, i / 8) >> (7 - i % 8) & 1) == 0 ? 1 : 0;
  }
  std::uint16_t wide_value(std::span<const std::byte> row, std::size_t i) const {
    return value(byte(row, 2 * i) << 8 | byte(row, 2 * i + 1));
  }
  std::uint16_t value(int stored) const {
    if (stored > layout_.largest) throw FormatError("its PNM data have a value above the largest in the header");
    return static_cast<std::uint16_t>(stored);
  }
  std::uint16_t plain_value() {
    const auto stored = tokens_.number(layout_.largest, true);
    if (!stored) refuse_cut_pnm();
    return value(static_cast<int>(*stored));
  }
  /// The digits of a plain bitmap need no separator.
  std::uint16_t plain_bit() {
    tokens_.skip_space_and_comments();
    if (tokens_.is_at_end()) refuse_cut_pnm();
    const char digit = tokens_.here();
    if (digit != '0' && digit != '1') throw FormatError("its PNM data have a digit that is neither 0 nor 1");
    tokens_.advance();
    return digit == '0' ? 1 : 0;
  }

  const PnmLayout& layout_;
  std::span<const std::byte> data_;
  PnmTokens tokens_;
  Oddities oddities_;
};

}  // namespace

Pixels decode_pnm(std::span<const std::byte> file, const ImageHeader& header, const DecodeOptions& options) {
  const auto layout = read_pnm_layout(file);
  if (!layout) refuse_cut_pnm();
  check_stored_size(header, layout->width, layout->height);
  const bool has_alpha = layout->has_alpha;
  const std::int64_t colors = layout->colors();
  Pixels image(layout->width, layout->height, channels_over(colors, has_alpha, options.background));
  PnmValues values(file, *layout);
  image.oddities = values.oddities();
  std::vector<std::uint16_t> stored(static_cast<std::size_t>(layout->width * layout->stored_channels));
  std::vector<std::uint8_t> row(stored.size());
  for (std::int64_t y = 0; y < layout->height; ++y) {
    values.read_row(y, stored);
    std::ranges::transform(stored, row.begin(), [&](int value) { return narrow(value, layout->largest); });
    const std::uint8_t* from = row.data();
    std::uint8_t* to = image.row(y);
    if (!has_alpha) {
      std::copy_n(from, row.size(), to);
      continue;
    }
    for (std::int64_t x = 0; x < layout->width; ++x, from += layout->stored_channels, to += image.channels) {
      put_over(from, colors, from[colors], options.background, image.channels, to);
    }
  }
  return image;
}

DeepPixels decode_deep_pnm(std::span<const std::byte> file, const ImageHeader& header) {
  const auto layout = read_pnm_layout(file);
  if (!layout) refuse_cut_pnm();
  check_stored_size(header, layout->width, layout->height);
  const bool has_alpha = layout->has_alpha;
  DeepPixels image(layout->width, layout->height, layout->colors(), has_alpha);
  PnmValues values(file, *layout);
  image.oddities = values.oddities();
  std::vector<std::uint16_t> row(static_cast<std::size_t>(layout->width * layout->stored_channels));
  float* value = image.values.data();
  std::uint8_t* alpha = image.alpha.data();
  for (std::int64_t y = 0; y < layout->height; ++y) {
    values.read_row(y, row);
    const std::uint16_t* from = row.data();
    for (std::int64_t x = 0; x < layout->width; ++x) {
      for (std::int64_t channel = 0; channel < image.channels; ++channel) *value++ = *from++;
      if (has_alpha) *alpha++ = narrow(*from++, layout->largest);
    }
  }
  return image;
}

}  // namespace octavo::images
