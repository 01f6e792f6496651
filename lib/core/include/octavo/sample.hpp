// Describes a sample: its shape, its labels and the meaning of its channels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <octavo/shapes.hpp>

namespace octavo {

/// "3x32x32".
std::string to_string(const SampleShape& shape);

/// Kind of label of each sample. The values are part of the file format.
enum class LabelKind {
  none,         ///< nothing
  class_index,  ///< int32: one class number
  multi_label,  ///< int32 [K]: 0 or 1 for each class
  target,       ///< float32 [K]: regression targets
};

struct LabelKindInfo {
  LabelKind kind;
  const char* name;  ///< on the command line and in Python
};
inline constexpr std::array<LabelKindInfo, 4> kLabelKinds = {{
    {LabelKind::none, "none"},
    {LabelKind::class_index, "class"},
    {LabelKind::multi_label, "multi_label"},
    {LabelKind::target, "target"},
}};

/// The name of the kind, such as "class".
constexpr const char* to_string(LabelKind kind) { return kLabelKinds[static_cast<std::size_t>(kind)].name; }

/// The labels of a split: their kind and the number of values per sample.
struct LabelLayout {
  LabelKind kind = LabelKind::none;
  std::int64_t width = 0;  ///< K; 1 for class_index, 0 for none

  /// Bytes of one sample's label: 4 * K.
  std::int64_t bytes_per_sample() const { return 4 * width; }
  bool operator==(const LabelLayout&) const = default;
};

/// Meaning of the channels. The values are part of the file format.
enum class Color { gray, rgb, other };

}  // namespace octavo
