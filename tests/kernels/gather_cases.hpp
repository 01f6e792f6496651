// Test cases for gathers on every backend: data, maps and an independent plain reference.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/gather.hpp"
#include "reference_float16.hpp"

namespace octavo::test {

using namespace octavo::kernels;

__extension__ using Exact = __float128;  // 113 bits: code * scale + shift is exact for the maps used here

/// code * scale + shift, rounded once.
inline float exact_value(std::int8_t code, Affine map) {
  return static_cast<float>(static_cast<Exact>(code) * map.scale + map.shift);
}

/// The types that images can have.
inline std::vector<DType> image_types() {
  std::vector<DType> types;
  for (const DTypeInfo& info : kDTypes) {
    if (info.for_images) types.push_back(info.type);
  }
  return types;
}

/// The parameters of one gather.
struct GatherCase {
  std::int64_t N, C, P, B;
  Layout layout = Layout::nchw;
  DType value_type = DType::float32;
  bool uniform_map = false;
  bool pixel_shifts = false;
  bool shuffled = true;
  std::int64_t label_words = 1;
  LabelType label_type = LabelType::words;
  std::int64_t stride_padding = 0;
  std::int64_t first_position = 0;
  std::int64_t staged_count = 0;  ///< number of last rows that are in a second place
  std::int64_t code_offset = 0;   ///< offset of the codes from a multiple of 16 bytes
  std::int64_t value_offset = 0;  ///< same for the output, in values
  std::int64_t shift_offset = 0;  ///< same for the pixel shifts, in floats

  std::string name() const {
    return "N=" + std::to_string(N) + " C=" + std::to_string(C) + " P=" + std::to_string(P) +
           " B=" + std::to_string(B) + (layout == Layout::nhwc ? " NHWC" : " NCHW") +
           " type=" + std::to_string(static_cast<int>(value_type)) + (uniform_map ? " uniform" : "") +
           (pixel_shifts ? " pixel" : "") + " K=" + std::to_string(label_words) +
           " T=" + std::to_string(static_cast<int>(label_type)) + " pad=" + std::to_string(stride_padding) +
           " staged=" + std::to_string(staged_count) + " offsets=" + std::to_string(code_offset) + "," +
           std::to_string(value_offset) + "," + std::to_string(shift_offset);
  }
};

/// Inputs and outputs of a GatherCase, of exact size, so that sanitizers detect any access outside.
class GatherData {
 public:
  explicit GatherData(const GatherCase& parameters) : case_(parameters) {
    std::mt19937 random(17);
    const std::int64_t S = case_.C * case_.P;
    codes_.resize(static_cast<std::size_t>(case_.N * (S + case_.stride_padding)));
    for (std::int8_t& code : codes_) code = static_cast<std::int8_t>(random());
    labels_.resize(static_cast<std::size_t>(case_.N * case_.label_words));
    for (std::uint32_t& label : labels_) label = static_cast<std::uint32_t>(random());
    const auto staged_from = case_.N - case_.staged_count;
    const auto staged_codes = codes_.begin() + staged_from * (S + case_.stride_padding);
    resident_codes_.resize(static_cast<std::size_t>(case_.code_offset));
    resident_codes_.insert(resident_codes_.end(), codes_.begin(), staged_codes);
    staged_codes_.resize(static_cast<std::size_t>(case_.code_offset));
    staged_codes_.insert(staged_codes_.end(), staged_codes, codes_.end());
    resident_labels_.assign(labels_.begin(), labels_.begin() + staged_from * case_.label_words);
    staged_labels_.assign(labels_.begin() + staged_from * case_.label_words, labels_.end());
    for (std::int64_t c = 0; c < (case_.uniform_map ? 1 : case_.C); ++c) {
      maps_.push_back({1.0f / (50.0f + static_cast<float>(c)), 0.25f - 0.125f * static_cast<float>(c)});
    }
    if (case_.pixel_shifts) {
      shifts_.resize(static_cast<std::size_t>(case_.shift_offset));
      for (std::int64_t i = 0; i < S; ++i) shifts_.push_back(static_cast<float>(random() % 1000) / 777.0f - 0.5f);
    }
    values_.assign(static_cast<std::size_t>(case_.value_offset + case_.B * S) * bytes_of(case_.value_type),
                   std::byte{0xEE});
    const std::int64_t out_words = case_.label_type == LabelType::int64 ? 2 : 1;
    out_labels_.assign(static_cast<std::size_t>(case_.B * case_.label_words * out_words), 0xEEEEEEEEu);
  }

  GatherArgs args() {
    GatherArgs args{};
    args.packed = {resident_codes_.data() + case_.code_offset,
                   case_.label_words > 0 ? resident_labels_.data() : nullptr,
                   case_.N - case_.staged_count,
                   case_.staged_count > 0 ? staged_codes_.data() + case_.code_offset : nullptr,
                   case_.staged_count > 0 && case_.label_words > 0 ? staged_labels_.data() : nullptr,
                   case_.C * case_.P + case_.stride_padding,
                   case_.label_words};
    args.set_shapes({case_.C, 1, case_.P}, case_.value_type, case_.layout);
    args.selection = cursor_ ? rows_at(cursor_.get(), case_.N)
                     : !rows_.empty()
                         ? given_rows(rows_.data(), case_.N)
                         : rows_in_order(make_order_key(case_.N, 7, 3, case_.shuffled), case_.first_position, 3);
    args.batch_count = case_.B;
    args.maps = maps_.data();
    args.uniform_map = case_.uniform_map;
    args.pixel_shifts = case_.pixel_shifts ? shifts_.data() + case_.shift_offset : nullptr;
    args.values = values_.data() + static_cast<std::size_t>(case_.value_offset) * bytes_of(case_.value_type);
    args.label_type = case_.label_type;
    args.out_labels = case_.label_words > 0 ? out_labels_.data() : nullptr;
    return args;
  }

  /// The expected bytes of the outputs, computed by plain loops in exact arithmetic.
  std::vector<std::byte> expected_values() const {
    std::vector<std::byte> expected(static_cast<std::size_t>(case_.value_offset) * bytes_of(case_.value_type),
                                    std::byte{0xEE});
    for (std::int64_t b = 0; b < case_.B; ++b) {
      const std::int64_t row = row_of(b);
      for (std::int64_t i = 0; i < case_.C * case_.P; ++i) {
        const bool nhwc = case_.layout == Layout::nhwc;
        const std::int64_t c = nhwc ? i % case_.C : i / case_.P;
        const std::int64_t p = nhwc ? i / case_.C : i % case_.P;
        append(expected, value_of(row, c, p, i));
      }
    }
    return expected;
  }
  /// The expected labels, as 4-byte words.
  std::vector<std::uint32_t> expected_labels() const {
    std::vector<std::uint32_t> expected;
    for (std::int64_t b = 0; b < case_.B; ++b) {
      for (std::int64_t k = 0; k < case_.label_words; ++k) {
        const std::int64_t row = row_of(b);
        append_label(expected, labels_[static_cast<std::size_t>(row * case_.label_words + k)]);
      }
    }
    return expected;
  }

  /// Uses these B rows instead of the order.
  void set_rows(std::vector<std::int64_t> rows) { rows_ = std::move(rows); }
  /// Draws rows with this cursor instead of the order.
  void set_cursor(const OrderCursor& cursor) { cursor_ = std::make_unique<OrderCursor>(cursor); }
  OrderCursor& cursor() { return *cursor_; }
  void clear_outputs() {
    std::fill(values_.begin(), values_.end(), std::byte{0xEE});
    std::fill(out_labels_.begin(), out_labels_.end(), 0xEEEEEEEEu);
  }
  const std::vector<std::byte>& values() const { return values_; }
  const std::vector<std::uint32_t>& out_labels() const { return out_labels_; }

 private:
  void append_label(std::vector<std::uint32_t>& expected, std::uint32_t stored) const {
    const auto number = static_cast<std::int32_t>(stored);
    if (case_.label_type == LabelType::float32) {
      expected.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(number)));
      return;
    }
    expected.push_back(stored);
    // Little-endian: the upper half of an int64 follows the lower one and repeats the sign.
    if (case_.label_type == LabelType::int64) expected.push_back(number < 0 ? 0xFFFFFFFFu : 0u);
  }

  std::int64_t row_of(std::int64_t b) const {
    if (cursor_) {
      // The batches from the cursor on, across epochs, by plain arithmetic.
      const std::int64_t step = cursor_->step + b / cursor_->share_count, epochs = step / cursor_->batches_per_epoch;
      const std::int64_t position =
          step % cursor_->batches_per_epoch * cursor_->batch_size + cursor_->share_first + b % cursor_->share_count;
      return permute(make_order_key(case_.N, cursor_->seed, static_cast<std::uint64_t>(cursor_->epoch + epochs), true),
                     position);
    }
    if (rows_.empty()) {
      return permute(make_order_key(case_.N, 7, 3, case_.shuffled), case_.first_position + b);
    }
    return rows_[static_cast<std::size_t>(b)];
  }
  float value_of(std::int64_t row, std::int64_t c, std::int64_t p, std::int64_t i) const {
    const std::int64_t S = case_.C * case_.P;
    Affine map = maps_[static_cast<std::size_t>(case_.uniform_map ? 0 : c)];
    if (case_.pixel_shifts) map.shift = shifts_[static_cast<std::size_t>(case_.shift_offset + i)];
    return exact_value(codes_[static_cast<std::size_t>(row * (S + case_.stride_padding) + c * case_.P + p)], map);
  }
  void append(std::vector<std::byte>& bytes, float value) const {
    const std::size_t start = bytes.size();
    bytes.resize(start + bytes_of(case_.value_type));
    if (case_.value_type == DType::float32) {
      std::memcpy(&bytes[start], &value, 4);
    } else if (case_.value_type == DType::float16) {
      const std::uint16_t half = reference_float16_bits(value);
      std::memcpy(&bytes[start], &half, 2);
    } else {
      // The nearest float whose lower 16 bits are zero, ties to even, found by comparing the two neighbors.
      std::uint32_t bits;
      std::memcpy(&bits, &value, 4);
      std::uint16_t upper = static_cast<std::uint16_t>(bits >> 16);
      const std::uint32_t rest = bits & 0xFFFFu;
      if (rest > 0x8000u || (rest == 0x8000u && (upper & 1))) ++upper;
      std::memcpy(&bytes[start], &upper, 2);
    }
  }

  GatherCase case_;
  std::vector<std::int8_t> codes_;  ///< all rows; the next two members hold the same data as passed to a gather
  std::vector<std::int8_t> resident_codes_, staged_codes_;  ///< each after code_offset bytes
  std::vector<std::uint32_t> labels_, resident_labels_, staged_labels_;
  std::vector<Affine> maps_;
  std::vector<float> shifts_;
  std::vector<std::int64_t> rows_;
  std::unique_ptr<OrderCursor> cursor_;  ///< an object of its own, so that its bounds are known
  std::vector<std::byte> values_;
  std::vector<std::uint32_t> out_labels_;
};

/// Cases for 16-byte vectors and warp tiles: sizes below, at and above each, for every device kernel, aligned and not.
inline void add_tile_cases(std::vector<GatherCase>& cases) {
  for (const DType type : image_types()) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      // A tile has 512 or 1,024 consecutive values, 128 or 256 pixels of 3 or 4 channels, or 512 values otherwise.
      for (const std::int64_t P :
           {2, 4, 5, 124, 125, 128, 132, 196, 252, 255, 256, 257, 260, 508, 512, 513, 516, 729}) {
        for (const std::int64_t C : {1, 2, 3, 4, 5}) {
          const bool pixel = (P + C) % 2 == 0, uniform = P % 3 == 0;
          cases.push_back({.N = 6,
                           .C = C,
                           .P = P,
                           .B = 5,
                           .layout = layout,
                           .value_type = type,
                           .uniform_map = uniform,
                           .pixel_shifts = pixel});
          cases.push_back({.N = 6,
                           .C = C,
                           .P = P,
                           .B = 5,
                           .layout = layout,
                           .value_type = type,
                           .uniform_map = !uniform,
                           .pixel_shifts = !pixel,
                           .code_offset = P % 5,
                           .value_offset = P % 7});
        }
      }
      // Each alignment of rows, outputs and pixel shifts.
      for (std::int64_t offset = 1; offset < 9; ++offset) {
        for (const std::int64_t C : {1, 3, 4, 6}) {
          const GatherCase base{
              .N = 6, .C = C, .P = 272, .B = 4, .layout = layout, .value_type = type, .pixel_shifts = offset % 2 == 0};
          GatherCase codes = base, values = base, shifts = base, stride = base;
          codes.code_offset = offset;
          values.value_offset = offset;
          shifts.pixel_shifts = true;
          shifts.shift_offset = offset;
          stride.stride_padding = offset;
          stride.staged_count = 3;
          cases.insert(cases.end(), {codes, values, shifts, stride});
        }
      }
      // Channels shorter than a vector, and more channels than a tile has values.
      for (const std::int64_t C : {7, 129, 300, 1100}) {
        for (const std::int64_t P : {1, 2, 4, 7, 9}) {
          cases.push_back({.N = 5, .C = C, .P = P, .B = 4, .layout = layout, .value_type = type});
          // Rows begin at every offset from a word, so the codes of a word may span three tiles of one pixel.
          cases.push_back({.N = 5,
                           .C = C,
                           .P = P,
                           .B = 4,
                           .layout = layout,
                           .value_type = type,
                           .stride_padding = P % 2,
                           .code_offset = 1 + P % 3});
        }
      }
    }
  }
}

/// Every shape, type, layout and map that gathers treat differently, at the edges of their vector widths.
inline std::vector<GatherCase> gather_cases() {
  std::vector<GatherCase> cases;
  for (const DType type : image_types()) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      for (const bool uniform : {true, false}) {
        for (const bool pixel : {true, false}) {
          for (const std::int64_t P : {1, 3, 15, 16, 17, 31, 63, 64, 65, 127, 196, 784}) {
            for (const std::int64_t C : {1, 3}) {
              cases.push_back({.N = 23,
                               .C = C,
                               .P = P,
                               .B = 7,
                               .layout = layout,
                               .value_type = type,
                               .uniform_map = uniform,
                               .pixel_shifts = pixel});
            }
          }
        }
      }
    }
  }
  for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
    for (const DType type : {DType::float32, DType::float16}) {
      // Channel counts with their own interleaving, and more pixels or channels than a tile.
      for (const std::int64_t C : {2, 4, 5}) {
        cases.push_back({.N = 5, .C = C, .P = 1500, .B = 4, .layout = layout, .value_type = type});
      }
      cases.push_back({.N = 4, .C = 4096, .P = 3, .B = 3, .layout = layout, .value_type = type});
      cases.push_back({.N = 4, .C = 3, .P = 3000, .B = 3, .layout = layout, .value_type = type, .pixel_shifts = true});
    }
    cases.push_back({.N = 5, .C = 40, .P = 130, .B = 5, .layout = layout, .label_words = 3});
    cases.push_back({.N = 100, .C = 2, .P = 50, .B = 100, .layout = layout, .label_words = 0});
    cases.push_back({.N = 9, .C = 3, .P = 1024, .B = 4, .layout = layout, .stride_padding = 16});
    cases.push_back({.N = 9, .C = 3, .P = 341, .B = 9, .layout = layout, .stride_padding = 1});
    cases.push_back({.N = 300, .C = 1, .P = 12, .B = 200, .layout = layout, .first_position = 90});
    cases.push_back({.N = 300, .C = 1, .P = 12, .B = 200, .layout = layout, .shuffled = false, .first_position = 90});
    cases.push_back({.N = 3, .C = 5, .P = 20000, .B = 3, .layout = layout});
    for (const LabelType type : {LabelType::int64, LabelType::float32}) {
      cases.push_back({.N = 40, .C = 3, .P = 16, .B = 33, .layout = layout, .label_words = 1, .label_type = type});
      cases.push_back({.N = 40, .C = 1, .P = 7, .B = 9, .layout = layout, .label_words = 5, .label_type = type});
    }
    // Some or all rows are in a second place.
    for (const std::int64_t staged : {1, 20, 40}) {
      cases.push_back({.N = 40, .C = 3, .P = 1024, .B = 33, .layout = layout, .staged_count = staged});
      cases.push_back({.N = 40,
                       .C = 3,
                       .P = 35,
                       .B = 40,
                       .layout = layout,
                       .label_words = 3,
                       .stride_padding = 1,
                       .staged_count = staged});
      cases.push_back({.N = 40,
                       .C = 1,
                       .P = 784,
                       .B = 40,
                       .layout = layout,
                       .value_type = DType::bfloat16,
                       .label_words = 0,
                       .staged_count = staged});
    }
    cases.push_back({.N = 1, .C = 1, .P = 1, .B = 1, .layout = layout});
    cases.push_back({.N = 4, .C = 3, .P = 64, .B = 0, .layout = layout});
  }
  add_tile_cases(cases);
  return cases;
}

}  // namespace octavo::test
