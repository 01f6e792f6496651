#include "format/coded_rows/lp8_codec.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "kernels/codecs/lp8_format.hpp"

namespace octavo::dataset_file {
namespace {

using kernels::kLp8Columns;
using kernels::lp8_width;
using kernels::Lp8Record;
using kernels::Lp8Tiling;

/// Eight bytes, the first in the lowest one.
using EightBytes = std::uint64_t;

constexpr EightBytes each_byte(std::uint64_t byte) { return byte * 0x0101010101010101u; }

/// The differences of the bytes, modulo 256 each.
constexpr EightBytes subtract_bytes(EightBytes a, EightBytes b) {
  return ((a | each_byte(0x80)) - (b & each_byte(0x7F))) ^ ((a ^ ~b) & each_byte(0x80));
}

/// The number of the least width that holds all eight residuals: itself, or 7 for 8 bits.
constexpr std::uint32_t width_number(EightBytes residuals) {
  if (residuals == 0) return 0;
  const EightBytes negative = (residuals >> 7 & each_byte(1)) * 0xFF;
  EightBytes magnitudes = residuals ^ negative;
  magnitudes |= magnitudes >> 32;
  magnitudes |= magnitudes >> 16;
  magnitudes |= magnitudes >> 8;
  return std::min<std::uint32_t>(7, 1 + static_cast<std::uint32_t>(std::bit_width(magnitudes & 0xFF)));
}

/// Residuals of `width` bits, as they are stored: one after the other, from the lowest bit on.
constexpr std::uint64_t packed(EightBytes residuals, std::uint32_t width) {
  const std::uint64_t one = (std::uint64_t{1} << width) - 1;
  std::uint64_t bits = subtract_bytes(residuals, each_byte((256 - (std::uint64_t{1} << width >> 1)) & 0xFF));
  bits &= each_byte(one);
  bits = (bits & 0x00FF00FF00FF00FFu) | (bits >> 8 & 0x00FF00FF00FF00FFu) << width;
  bits = (bits & 0x0000FFFF0000FFFFu) | (bits >> 16 & 0x0000FFFF0000FFFFu) << (2 * width);
  return (bits & 0xFFFFFFFFu) | bits >> 32 << (4 * width);
}

/// The residuals of a tile with one predictor.
struct Prediction {
  std::array<EightBytes, kernels::kLp8MostBandRows> residuals;
  std::array<std::uint32_t, kernels::kLp8MostBandRows> numbers;
  std::int64_t payload_bytes = 0;

  void add(std::int64_t row, EightBytes of_row, std::uint32_t columns) {
    const auto at = static_cast<std::size_t>(row);
    residuals[at] = of_row;
    numbers[at] = width_number(of_row);
    payload_bytes += kernels::lp8_row_bytes(lp8_width(numbers[at]), columns);
  }
};

class Lp8Encoder final : public RowEncoder {
 public:
  explicit Lp8Encoder(const SampleShape& shape) : tiling_(shape) {}

  void encode(std::span<const std::byte> codes, std::vector<std::byte>& out) override {
    const auto plain_bytes = static_cast<std::size_t>(tiling_.plain_bytes());
    encode_planes(codes, false, best_);
    if (tiling_.shape.channels == kernels::kLp8ColorChannels) {
      subtract_base(codes);
      encode_planes(differences_, true, other_);
      if (other_.size() < best_.size()) std::swap(best_, other_);
    }
    const std::int64_t payload_bytes = std::ssize(best_) - tiling_.record_bytes();
    if (best_.size() >= plain_bytes || payload_bytes > 4 * kernels::kLp8MostPayloadWords) {
      best_.assign(codes.begin(), codes.end());
      best_.resize(plain_bytes);
    }
    out.insert(out.end(), best_.begin(), best_.end());
  }

 private:
  void subtract_base(std::span<const std::byte> codes) {
    differences_.assign(codes.begin(), codes.end());
    const auto pixels = static_cast<std::size_t>(tiling_.shape.values_per_channel());
    const std::byte* const base = codes.data() + kernels::kLp8ColorBase * pixels;
    for (const std::size_t plane : {0, 2}) {
      std::byte* const values = differences_.data() + plane * pixels;
      for (std::size_t i = 0; i < pixels; ++i) {
        values[i] = static_cast<std::byte>(std::to_integer<unsigned>(values[i]) - std::to_integer<unsigned>(base[i]));
      }
    }
  }

  void encode_planes(std::span<const std::byte> codes, bool are_differences, std::vector<std::byte>& out) {
    out.assign(static_cast<std::size_t>(tiling_.record_bytes()), std::byte{0});
    std::int64_t number = 0;
    for (std::int64_t plane = 0; plane < tiling_.shape.channels; ++plane) {
      for (std::int64_t band = 0; band < tiling_.bands; ++band) {
        for (std::int64_t column = 0; column < tiling_.columns; ++column, ++number) {
          encode_tile(codes, plane, band, column, are_differences, number, out);
        }
      }
    }
  }

  void encode_tile(std::span<const std::byte> codes, std::int64_t plane, std::int64_t band, std::int64_t column,
                   bool are_differences, std::int64_t number, std::vector<std::byte>& out) {
    const std::int64_t rows = tiling_.rows_of(band), width = tiling_.shape.width;
    const auto columns = static_cast<std::uint32_t>(tiling_.columns_of(column));
    const std::byte* from =
        codes.data() + (plane * tiling_.shape.height + band * tiling_.band_rows) * width + column * kLp8Columns;
    const auto first_code = std::to_integer<std::uint32_t>(*from);
    EightBytes above = each_byte(first_code);
    Prediction vertical, both;
    for (std::int64_t y = 0; y < rows; ++y, from += width) {
      const EightBytes row = load(from, columns);
      const EightBytes down = subtract_bytes(row, above);
      vertical.add(y, down, columns);
      both.add(y, subtract_bytes(down, down << 8), columns);
      above = row;
    }
    const bool is_vertical = vertical.payload_bytes < both.payload_bytes;
    append(is_vertical ? vertical : both, rows, columns, is_vertical, are_differences, first_code, number, out);
  }

  /// Missing columns repeat the last one, so that they need no bits.
  static EightBytes load(const std::byte* from, std::uint32_t columns) {
    EightBytes row = 0;
    if (columns == kLp8Columns) {
      std::memcpy(&row, from, sizeof row);
      return row;
    }
    for (std::uint32_t x = 0; x < kLp8Columns; ++x) {
      row |= std::to_integer<std::uint64_t>(from[std::min(x, columns - 1)]) << (8 * x);
    }
    return row;
  }

  void append(const Prediction& chosen, std::int64_t rows, std::uint32_t columns, bool is_vertical,
              bool are_differences, std::uint32_t first_code, std::int64_t number, std::vector<std::byte>& out) {
    const std::size_t begin = out.size();
    const std::size_t word = (begin - static_cast<std::size_t>(tiling_.record_bytes())) / 4;
    Lp8Record record = {};
    record.place = (static_cast<std::uint32_t>(word) & 0x3FFFFF) | (is_vertical ? 1u << 22 : 0) |
                   (are_differences ? 1u << 23 : 0) | first_code << 24;
    out.resize(begin + static_cast<std::size_t>((chosen.payload_bytes + 3) / 4 * 4));
    std::byte* to = out.data() + begin;
    for (std::int64_t y = 0; y < rows; ++y) {
      const std::uint32_t one = chosen.numbers[static_cast<std::size_t>(y)];
      for (std::int64_t bit = 0; bit < 3; ++bit) {
        record.width_numbers[(3 * y + bit) / 32] |= (one >> bit & 1) << (3 * y + bit) % 32;
      }
      if (one == 0) continue;
      const std::uint64_t bits = packed(chosen.residuals[static_cast<std::size_t>(y)], lp8_width(one));
      const std::uint32_t bytes = kernels::lp8_row_bytes(lp8_width(one), columns);
      std::memcpy(to, &bits, bytes);
      to += bytes;
    }
    std::memcpy(out.data() + static_cast<std::size_t>(number) * sizeof record, &record, sizeof record);
  }

  Lp8Tiling tiling_;
  std::vector<std::byte> differences_, best_, other_;
};

}  // namespace

std::unique_ptr<RowEncoder> make_lp8_encoder(const SampleShape& shape, std::shared_ptr<const RowTables>) {
  return std::make_unique<Lp8Encoder>(shape);
}

bool can_be_lp8_row(const SampleShape& shape, std::int64_t bytes) {
  const Lp8Tiling tiling(shape);
  return bytes % 4 == 0 && bytes <= tiling.plain_bytes() &&
         (bytes == tiling.plain_bytes() || bytes >= tiling.record_bytes());
}

}  // namespace octavo::dataset_file
