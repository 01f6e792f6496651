// Our own reader, because the distributions have no BMP library that is safe inside another program: netpbm's exits the
// process on an error; stb_image reads the missing bytes of a truncated file as zeros and has no run-length decoding.
#include "images/bmp/bmp_decoder.hpp"

#include <algorithm>
#include <bit>

#include <octavo/errors.hpp>

#include "images/bmp/bmp_header.hpp"
#include "images/byte_view.hpp"
#include "images/color.hpp"

namespace octavo::images {
namespace {

[[noreturn]] void refuse_cut_bmp() { throw FormatError("its BMP data are cut short"); }

/// One field of a 16-, 24- or 32-bit pixel.
class Field {
 public:
  explicit Field(std::uint32_t mask)
      : mask_(mask), shift_(mask == 0 ? 0 : std::countr_zero(mask)), largest_(static_cast<int>(mask >> shift_)) {}
  int value(std::uint32_t pixel) const { return narrow(static_cast<int>((pixel & mask_) >> shift_), largest_); }

 private:
  std::uint32_t mask_;
  int shift_;
  int largest_;
};

/// A palette index for each pixel, in the order of the file's rows.
using Numbers = std::vector<std::uint8_t>;

void unpack_row(std::span<const std::byte> row, int bits, std::span<std::uint8_t> numbers) {
  const int per_byte = 8 / bits;
  for (std::size_t x = 0; x < numbers.size(); ++x) {
    const int byte = std::to_integer<int>(row[x / static_cast<std::size_t>(per_byte)]);
    const int place = static_cast<int>(x) % per_byte;
    numbers[x] = static_cast<std::uint8_t>(byte >> (8 - bits - place * bits) & ((1 << bits) - 1));
  }
}

/// Run-length coded pixels: pairs of a count and a value, and escapes that begin with a count of 0.
class RunReader {
 public:
  RunReader(std::span<const std::byte> data, const BmpLayout& layout)
      : data_(data),
        is_4_bit_(layout.coding == BmpCoding::run_length_4),
        width_(layout.width),
        height_(layout.height),
        numbers_(static_cast<std::size_t>(layout.width * layout.height)) {}

  Numbers read() {
    while (!is_done_ && y_ < height_ && !is_only_the_end_missing()) read_pair();
    return std::move(numbers_);
  }

 private:
  bool is_only_the_end_missing() const { return at_ == data_.size() && y_ == height_ - 1 && x_ == width_; }

  int next_byte() {
    if (at_ == data_.size()) refuse_cut_bmp();
    return std::to_integer<int>(data_[at_++]);
  }

  void read_pair() {
    const int count = next_byte();
    const int value = next_byte();
    if (count > 0) {
      for (int i = 0; i < count; ++i) put(half_of(value, i));
    } else if (value == 0) {
      x_ = 0, ++y_;
    } else if (value == 1) {
      is_done_ = true;
    } else if (value == 2) {
      x_ += next_byte(), y_ += next_byte();
    } else {
      copy(value);
    }
  }

  /// Copies `count` literal values, padded to two bytes.
  void copy(int count) {
    const int byte_count = is_4_bit_ ? (count + 1) / 2 : count;
    int byte = 0;
    for (int i = 0; i < count; ++i) {
      if (!is_4_bit_ || i % 2 == 0) byte = next_byte();
      put(half_of(byte, i));
    }
    if (byte_count % 2 == 1) next_byte();
  }

  /// Two pixels of 4 bits share a byte, the left one in its upper half.
  int half_of(int byte, int i) const { return !is_4_bit_ ? byte : i % 2 == 0 ? byte >> 4 : byte & 15; }

  void put(int number) {
    if (x_ >= width_ || y_ >= height_) throw FormatError("its BMP runs go beyond the image");
    numbers_[static_cast<std::size_t>(y_ * width_ + x_++)] = static_cast<std::uint8_t>(number);
  }

  std::span<const std::byte> data_;
  std::size_t at_ = 0;
  bool is_4_bit_;
  std::int64_t width_, height_;
  std::int64_t x_ = 0, y_ = 0;
  bool is_done_ = false;
  Numbers numbers_;
};

std::span<const std::byte> pixel_data(std::span<const std::byte> file, const BmpLayout& layout) {
  if (layout.pixels_at > file.size()) refuse_cut_bmp();
  return file.subspan(layout.pixels_at);
}

/// Rows of uncompressed pixels. The constructor checks that all are present.
class PlainRows {
 public:
  PlainRows(std::span<const std::byte> data, const BmpLayout& layout)
      : data_(data), row_bytes_(static_cast<std::size_t>(layout.row_bytes())) {
    if (data.size() / row_bytes_ < static_cast<std::size_t>(layout.height)) refuse_cut_bmp();
  }
  std::span<const std::byte> row(std::int64_t y) const {
    return data_.subspan(static_cast<std::size_t>(y) * row_bytes_, row_bytes_);
  }

 private:
  std::span<const std::byte> data_;
  std::size_t row_bytes_;
};

std::int64_t shown_row(const BmpLayout& layout, std::int64_t y) {
  return layout.is_top_down ? y : layout.height - 1 - y;
}

Numbers plain_numbers(std::span<const std::byte> data, const BmpLayout& layout) {
  const PlainRows rows(data, layout);
  Numbers numbers(static_cast<std::size_t>(layout.width * layout.height));
  const auto width = static_cast<std::size_t>(layout.width);
  for (std::int64_t y = 0; y < layout.height; ++y) {
    unpack_row(rows.row(y), layout.bits, std::span(numbers).subspan(static_cast<std::size_t>(y) * width, width));
  }
  return numbers;
}

Pixels decode_palette(std::span<const std::byte> data, const BmpLayout& layout) {
  const Numbers numbers =
      layout.coding == BmpCoding::plain ? plain_numbers(data, layout) : RunReader(data, layout).read();
  Pixels image(layout.width, layout.height, is_gray(layout.palette) ? 1 : 3);
  for (std::int64_t y = 0; y < layout.height; ++y) {
    std::uint8_t* to = image.row(shown_row(layout, y));
    for (std::int64_t x = 0; x < layout.width; ++x, to += image.channels) {
      const std::size_t number = numbers[static_cast<std::size_t>(y * layout.width + x)];
      if (number >= layout.palette.size()) throw FormatError("its pixels use colors that its palette lacks");
      std::copy_n(layout.palette[number].begin(), image.channels, to);
    }
  }
  return image;
}

Pixels decode_fields(std::span<const std::byte> data, const BmpLayout& layout,
                     const std::array<std::uint8_t, 3>& background) {
  const PlainRows rows(data, layout);
  const Field fields[] = {Field(layout.masks[0]), Field(layout.masks[1]), Field(layout.masks[2])};
  const Field alpha_field(layout.masks[3]);
  const bool has_alpha = layout.masks[3] != 0;
  const std::size_t pixel_bytes = static_cast<std::size_t>(layout.bits) / 8;
  Pixels image(layout.width, layout.height, 3);
  for (std::int64_t y = 0; y < layout.height; ++y) {
    const auto row = rows.row(y);
    std::uint8_t* to = image.row(shown_row(layout, y));
    for (std::size_t at = 0; at < static_cast<std::size_t>(layout.width) * pixel_bytes; at += pixel_bytes) {
      std::uint32_t pixel = 0;
      for (std::size_t i = pixel_bytes; i-- > 0;) pixel = pixel << 8 | std::to_integer<std::uint32_t>(row[at + i]);
      const int alpha = has_alpha ? alpha_field.value(pixel) : 255;
      for (std::size_t i = 0; i < 3; ++i) *to++ = over(fields[i].value(pixel), alpha, background[i]);
    }
  }
  return image;
}

}  // namespace

Pixels decode_bmp(std::span<const std::byte> file, const ImageHeader& header, const DecodeOptions& options) {
  const auto layout = read_bmp_layout(file);
  if (!layout) refuse_cut_bmp();
  check_stored_size(header, layout->width, layout->height);
  const auto data = pixel_data(file, *layout);
  return layout->bits <= 8 ? decode_palette(data, *layout) : decode_fields(data, *layout, options.background);
}

}  // namespace octavo::images
