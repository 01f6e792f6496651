// Element types and layouts of tensors. The command line, Python and the documentation list these tables.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace octavo {

/// Element type of a tensor.
enum class DType { float32, float16, bfloat16, int32, int64, uint8 };

struct DTypeInfo {
  DType type;
  const char* name;
  std::int64_t bytes;  ///< of one element
  int dlpack_code;     ///< DLDataTypeCode: 0 signed integer, 1 unsigned, 2 IEEE float, 4 bfloat
  bool for_images;     ///< whether a batch's images can have this type
  bool for_labels;     ///< whether a batch's labels can have this type
  bool for_masks;      ///< whether a batch's masks can have this type
};
inline constexpr std::array<DTypeInfo, 6> kDTypes = {{
    {DType::float32, "float32", 4, 2, true, true, false},
    {DType::float16, "float16", 2, 2, true, false, false},
    {DType::bfloat16, "bfloat16", 2, 4, true, false, false},
    {DType::int32, "int32", 4, 0, false, true, false},
    {DType::int64, "int64", 8, 0, false, true, true},
    {DType::uint8, "uint8", 1, 1, false, false, true},
}};

constexpr const DTypeInfo& info_of(DType type) { return kDTypes[static_cast<std::size_t>(type)]; }
/// Bytes of one element.
constexpr std::int64_t bytes_of(DType type) { return info_of(type).bytes; }
/// The name of the type, such as "float32".
constexpr const char* to_string(DType type) { return info_of(type).name; }

/// Axis order of a batch of images: [B,C,H,W] or [B,H,W,C].
enum class Layout { nchw, nhwc };

struct LayoutInfo {
  Layout layout;
  const char* name;
  std::array<int, 4> axes;  ///< of B, C, H, W (0 to 3), outermost first
};
inline constexpr std::array<LayoutInfo, 2> kLayouts = {{
    {Layout::nchw, "nchw", {0, 1, 2, 3}},
    {Layout::nhwc, "nhwc", {0, 2, 3, 1}},
}};

constexpr const LayoutInfo& info_of(Layout layout) { return kLayouts[static_cast<std::size_t>(layout)]; }
/// The layout's name: "nchw" or "nhwc".
constexpr const char* to_string(Layout layout) { return info_of(layout).name; }

/// Whether each row of a table is at the index of its enumerator, as info_of() requires.
template <typename Table, typename Enum, typename Row>
constexpr bool is_in_order(const Table& table, Enum Row::*enumerator) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].*enumerator) != i) return false;
  }
  return true;
}
static_assert(is_in_order(kDTypes, &DTypeInfo::type));
static_assert(is_in_order(kLayouts, &LayoutInfo::layout));

}  // namespace octavo
