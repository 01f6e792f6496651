// The fused gather: reads packed rows, writes dequantized, centered and scaled values, and labels.
#pragma once

#include <cstdint>
#include <type_traits>

#include <octavo/types.hpp>

#include "kernels/affine.hpp"
#include "kernels/host_device.hpp"
#include "kernels/intrinsics.hpp"
#include "kernels/labels.hpp"
#include "kernels/packed_rows.hpp"
#include "kernels/row_selection.hpp"

namespace octavo::kernels {

/// A float16 or bfloat16 value as its bits. Distinct types, so that templates can distinguish them.
struct Float16 {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

/// The largest number of channels that a gather supports.
inline constexpr std::int64_t kMostChannels = 4096;

/// The arguments of a gather. Borrowed pointers, in memory of the device that runs it.
struct GatherArgs {
  PackedRows packed;                ///< N rows
  std::int64_t channel_count;       ///< C, at most kMostChannels
  std::int64_t values_per_channel;  ///< P
  RowSelection selection;           ///< which rows; selection.row_count is N
  std::int64_t batch_count;         ///< B
  const Affine* maps;               ///< [C], or [1] if uniform_map
  bool uniform_map;                 ///< all channels share maps[0]
  const float* pixel_shifts;        ///< C*P, in output order, replaces the maps' shift; or null
  Layout layout;                    ///< of the values: [B,C,P] or [B,P,C]
  DType value_type;                 ///< a float type; each value is the float32 value rounded to nearest, ties to even
  void* values;                     ///< B*C*P values of value_type
  LabelType label_type;             ///< type of the written labels
  void* out_labels;                 ///< [B,label_words] of label_type, or null
  /// Number of batches by which selection.cursor advances after the whole batch, which is not empty: at most
  /// batches_per_epoch; 0: it does not advance.
  std::int64_t cursor_batches = 0;
};

/// Rounds `value` to the output type.
template <typename Value>
OCTAVO_HOST_DEVICE inline Value round_to(float value) {
  if constexpr (std::is_same_v<Value, float>)
    return value;
  else if constexpr (std::is_same_v<Value, Float16>)
    return Float16{to_float16_bits(value)};
  else
    return BFloat16{to_bfloat16_bits(value)};
}

/// Calls visit(Value{}) with the C++ type of output values of `type`. Does nothing for integer types.
template <typename Visit>
void visit_value_type(DType type, const Visit& visit) {
  switch (type) {
    case DType::float32:
      return visit(float{});
    case DType::float16:
      return visit(Float16{});
    case DType::bfloat16:
      return visit(BFloat16{});
    case DType::int32:
    case DType::int64:
      return;
  }
}

/// The map of value `out_index` of an output sample, which is in channel `c`.
OCTAVO_HOST_DEVICE inline Affine map_of(const GatherArgs& args, std::int64_t c, std::int64_t out_index) {
  Affine map = args.maps[args.uniform_map ? 0 : c];
  if (args.pixel_shifts != nullptr) map.shift = args.pixel_shifts[out_index];
  return map;
}

/// The index in the packed sample, and the channel, of value `out_index` of an output sample.
struct CodePlace {
  std::int64_t index;    ///< c*P + p
  std::int64_t channel;  ///< c
};
OCTAVO_HOST_DEVICE inline CodePlace code_place(const GatherArgs& args, std::int64_t out_index) {
  // C*P < 2^31, so 32-bit division is enough. It is several times faster on both backends.
  const auto i = static_cast<std::uint32_t>(out_index);
  if (args.layout == Layout::nchw) {
    return {out_index, static_cast<std::int64_t>(i / static_cast<std::uint32_t>(args.values_per_channel))};
  }
  const std::uint32_t p = i / static_cast<std::uint32_t>(args.channel_count);
  const std::uint32_t c = i % static_cast<std::uint32_t>(args.channel_count);
  return {static_cast<std::int64_t>(c) * args.values_per_channel + p, static_cast<std::int64_t>(c)};
}

/// Value `out_index` of the output sample that is decoded from the packed sample `codes`.
template <typename Value>
OCTAVO_HOST_DEVICE inline Value gathered_value(const GatherArgs& args, const std::int8_t* codes,
                                               std::int64_t out_index) {
  const CodePlace place = code_place(args, out_index);
  return round_to<Value>(decode(codes[place.index], map_of(args, place.channel, out_index)));
}

/// Copies a word of the label of `row` to position `b` of the batch.
OCTAVO_HOST_DEVICE inline void copy_label_word(const GatherArgs& args, std::int64_t row, std::int64_t b,
                                               std::int64_t word) {
  write_label(args.label_type, label_of(args.packed, row)[word], args.out_labels, b * args.packed.label_words + word);
}

}  // namespace octavo::kernels
