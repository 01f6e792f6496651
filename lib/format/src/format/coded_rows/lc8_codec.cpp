#include "format/coded_rows/lc8_codec.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/codecs/lc8_strip.hpp"

namespace octavo::dataset_file {
namespace {

using kernels::kLc8Classes;
using kernels::kLc8ColorBase;
using kernels::kLc8ColorChannels;
using kernels::kLc8Columns;
using kernels::kLc8LengthBits;
using kernels::kLc8PlainLength;
using kernels::Lc8Edge;
using kernels::Lc8Tiling;

/// Appends bits to a list of words, from the lowest bit on.
class BitWriter {
 public:
  void clear() {
    words_.clear();
    last_ = 0;
    last_bits_ = 0;
  }
  /// At most 32. `bits` has no others.
  void put(std::uint32_t bits, std::uint32_t count) {
    last_ |= static_cast<std::uint64_t>(bits) << last_bits_;
    last_bits_ += count;
    if (last_bits_ < 32) return;
    words_.push_back(static_cast<std::uint32_t>(last_));
    last_ >>= 32;
    last_bits_ -= 32;
  }
  void put(const BitWriter& other) {
    for (const std::uint32_t word : other.words_) put(word, 32);
    put(static_cast<std::uint32_t>(other.last_), other.last_bits_);
  }
  /// Continues at the next word.
  void finish_word() {
    if (last_bits_ > 0) put(0, 32 - last_bits_);
  }
  std::int64_t bit_count() const { return 32 * std::ssize(words_) + last_bits_; }
  /// After finish_word().
  const std::vector<std::uint32_t>& words() const { return words_; }

 private:
  std::vector<std::uint32_t> words_;
  std::uint64_t last_ = 0;       ///< the bits that are not in words_ yet
  std::uint32_t last_bits_ = 0;  ///< less than 32
};

/// Codes of a plane of a band.
using StripCodes = kernels::Lc8StripCodes<const std::int8_t>;

/// Whether each code of a row is the predicted one.
bool is_zero_row(const StripCodes& codes, std::int64_t y, bool has_left) {
  const std::int8_t* const row = codes.first + y * codes.stride;
  const std::int8_t* const above = row - codes.stride;
  std::int32_t left = has_left ? row[-1] : above[0], above_left = has_left ? above[-1] : above[0];
  for (std::int64_t x = 0; x < codes.columns; ++x) {
    if (static_cast<std::int8_t>(kernels::lc8_prediction(left, above[x], above_left)) != row[x]) return false;
    left = row[x];
    above_left = above[x];
  }
  return true;
}

/// Calls on_flag(is zero) and on_residual(class, residual modulo 256) in the order in which they are coded.
template <typename OnFlag, typename OnResidual>
void for_residuals(const StripCodes& codes, bool has_left, Lc8Edge& edge, const OnFlag& on_flag,
                   const OnResidual& on_residual) {
  kernels::walk_lc8_strip(
      codes.rows, codes.columns, has_left, edge,
      [&](std::int64_t y) {
        const bool is_zero = is_zero_row(codes, y, has_left);
        on_flag(is_zero);
        return is_zero;
      },
      [&](std::int64_t y, std::int64_t x, std::int32_t prediction, std::int32_t class_number, std::int32_t& residual) {
        const std::int32_t code = codes.first[y * codes.stride + x];
        residual = static_cast<std::int8_t>(code - prediction);
        if (class_number < kLc8Classes)
          on_residual(static_cast<std::size_t>(class_number), static_cast<std::uint8_t>(residual));
        return code;
      });
}

/// The planes of a sample and, of color images, their differences to the base plane.
class Planes {
 public:
  explicit Planes(const SampleShape& shape) : shape_(shape) {}

  /// The sample must outlive their use.
  void set(std::span<const std::byte> codes) {
    codes_ = reinterpret_cast<const std::int8_t*>(codes.data());
    if (shape_.channels != kLc8ColorChannels) return;
    const auto pixels = static_cast<std::size_t>(shape_.values_per_channel());
    differences_.assign(codes_, codes_ + 3 * pixels);
    const std::int8_t* const base = codes_ + static_cast<std::size_t>(kLc8ColorBase) * pixels;
    for (const std::size_t plane : {0, 2}) {
      std::int8_t* const values = differences_.data() + plane * pixels;
      for (std::size_t i = 0; i < pixels; ++i) values[i] = static_cast<std::int8_t>(values[i] - base[i]);
    }
  }
  const std::int8_t* of(bool are_differences) const { return are_differences ? differences_.data() : codes_; }

 private:
  SampleShape shape_;
  const std::int8_t* codes_ = nullptr;
  std::vector<std::int8_t> differences_;
};

/// The codes of a strip of a group; `plane` is where the plane begins.
StripCodes strip_codes(const Lc8Tiling& tiling, const std::int8_t* plane, std::int64_t band, std::int64_t strip) {
  const std::int64_t width = tiling.shape.width;
  return {plane + band * tiling.band_rows * width + strip * kLc8Columns, width, tiling.rows_of(band),
          tiling.columns_of(strip)};
}

/// A coded strip.
struct CodedStrip {
  BitWriter bits;
  std::uint32_t length = 0;  ///< as it is stored
};

class Lc8Encoder final : public RowEncoder {
 public:
  Lc8Encoder(const SampleShape& shape, const RowTables& tables)
      : tiling_(shape), codes_(lc8_codes(tables)), planes_(shape) {
    for (auto& strips : strips_) strips.resize(static_cast<std::size_t>(tiling_.strip_count()));
  }

  void encode(std::span<const std::byte> codes, std::vector<std::byte>& out) override {
    planes_.set(codes);
    bool are_differences = false;
    std::int64_t bits = encode_strips(false);
    if (tiling_.shape.channels == kLc8ColorChannels) {
      are_differences = encode_strips(true) < bits;
    }
    write_row(are_differences);
    const auto plain_bytes = static_cast<std::size_t>(tiling_.plain_bytes());
    if (4 * row_.size() < plain_bytes) {
      const auto bytes = std::as_bytes(std::span(row_));
      out.insert(out.end(), bytes.begin(), bytes.end());
    } else {
      out.insert(out.end(), codes.begin(), codes.end());
      out.resize(out.size() + plain_bytes - codes.size());
    }
  }

 private:
  /// Returns the number of bits. The base plane of differences is that of the sample, which is coded before.
  std::int64_t encode_strips(bool are_differences) {
    std::int64_t bits = 0, number = 0;
    for (std::int64_t band = 0; band < tiling_.bands; ++band) {
      for (std::int64_t group = 0; group < tiling_.groups; ++group) {
        for (std::int64_t plane = 0; plane < tiling_.shape.channels; ++plane) {
          Lc8Edge edge;
          for (std::int64_t strip = 0; strip < tiling_.strips_of(group); ++strip, ++number) {
            const bool is_coded = are_differences && plane == kLc8ColorBase;
            if (!is_coded) {
              const std::int8_t* const codes = planes_.of(are_differences) + plane * tiling_.shape.values_per_channel();
              encode_strip(strip_codes(tiling_, codes, band, group * kernels::kLc8GroupStrips + strip), strip > 0, edge,
                           strips_[are_differences][static_cast<std::size_t>(number)]);
            }
            bits += strip_of(are_differences, plane, number).bits.bit_count();
          }
        }
      }
    }
    return bits;
  }

  const CodedStrip& strip_of(bool are_differences, std::int64_t plane, std::int64_t number) const {
    return strips_[are_differences && plane != kLc8ColorBase][static_cast<std::size_t>(number)];
  }

  void encode_strip(const StripCodes& codes, bool has_left, Lc8Edge& edge, CodedStrip& strip) const {
    BitWriter& bits = strip.bits;
    bits.clear();
    for_residuals(
        codes, has_left, edge, [&](bool is_zero) { bits.put(is_zero ? 1 : 0, 1); },
        [&](std::size_t class_number, std::size_t residual) {
          const Lc8Code code = codes_[class_number][residual];
          bits.put(code.bits, code.bit_count);
        });
    strip.length = static_cast<std::uint32_t>(bits.bit_count());
    if (bits.bit_count() < std::min<std::int64_t>(kLc8PlainLength, 8 * codes.rows * codes.columns)) return;
    bits.clear();
    for (std::int64_t y = 0; y < codes.rows; ++y) {
      for (std::int64_t x = 0; x < codes.columns; ++x) {
        bits.put(static_cast<std::uint8_t>(codes.first[y * codes.stride + x]), 8);
      }
      edge.magnitudes[y] = kernels::kLc8PlainMagnitude;
    }
    strip.length = kLc8PlainLength;
  }

  void write_row(bool are_differences) {
    BitWriter lengths, payload;
    row_.assign(static_cast<std::size_t>(tiling_.lengths_word()), 0);
    row_[0] = are_differences ? 1 : 0;
    std::int64_t number = 0, group_number = 0;
    for (std::int64_t band = 0; band < tiling_.bands; ++band) {
      for (std::int64_t group = 0; group < tiling_.groups; ++group, ++group_number) {
        if (tiling_.group_count() > 1) {
          row_[static_cast<std::size_t>(1 + group_number)] = static_cast<std::uint32_t>(payload.bit_count() / 32);
        }
        for (std::int64_t plane = 0; plane < tiling_.shape.channels; ++plane) {
          for (std::int64_t strip = 0; strip < tiling_.strips_of(group); ++strip, ++number) {
            const CodedStrip& coded = strip_of(are_differences, plane, number);
            lengths.put(coded.length, kLc8LengthBits);
            payload.put(coded.bits);
          }
        }
        payload.finish_word();
      }
    }
    lengths.finish_word();
    for (const BitWriter* const part : {&lengths, &payload}) {
      row_.insert(row_.end(), part->words().begin(), part->words().end());
    }
  }

  Lc8Tiling tiling_;
  Lc8Codes codes_;
  Planes planes_;
  std::array<std::vector<CodedStrip>, 2> strips_;  ///< of the planes, and of their differences
  std::vector<std::uint32_t> row_;
};

}  // namespace

std::unique_ptr<RowEncoder> make_lc8_encoder(const SampleShape& shape, std::shared_ptr<const RowTables> tables) {
  return std::make_unique<Lc8Encoder>(shape, *tables);
}

bool can_be_lc8_row(const SampleShape& shape, std::int64_t bytes) {
  const Lc8Tiling tiling(shape);
  return bytes % 4 == 0 && bytes <= tiling.plain_bytes() &&
         (bytes == tiling.plain_bytes() || bytes >= 4 * tiling.header_words());
}

void count_lc8_residuals(const SampleShape& shape, std::span<const std::byte> codes, Lc8Counts& counts) {
  const Lc8Tiling tiling(shape);
  Planes planes(shape);
  planes.set(codes);
  const bool are_differences = shape.channels == kLc8ColorChannels;  // of nearly all images
  for (std::int64_t band = 0; band < tiling.bands; ++band) {
    for (std::int64_t plane = 0; plane < shape.channels; ++plane) {
      Lc8Edge edge;
      for (std::int64_t strip = 0; strip < tiling.strips; ++strip) {
        const std::int8_t* const values = planes.of(are_differences) + plane * shape.values_per_channel();
        for_residuals(
            strip_codes(tiling, values, band, strip), strip % kernels::kLc8GroupStrips > 0, edge, [](bool) {},
            [&](std::size_t class_number, std::size_t residual) { ++counts[class_number][residual]; });
      }
    }
  }
}

std::shared_ptr<const RowTables> train_lc8_tables(const SampleShape& shape, std::span<const std::byte> codes) {
  Lc8Counts counts{};
  const auto values = static_cast<std::size_t>(shape.values());
  for (std::size_t at = 0; at < codes.size(); at += values) {
    count_lc8_residuals(shape, codes.subspan(at, values), counts);
  }
  return fit_lc8_tables(counts, default_lc8_tables(shape));
}

}  // namespace octavo::dataset_file
