#include "text/json_output.hpp"

#include <iostream>

#include "text/human_units.hpp"

namespace octavo::tools {

void print_json(const Json& document) {
  std::cout << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

Json as_json(const SampleShape& shape) { return {shape.channels, shape.height, shape.width}; }

Json as_json(const LabelLayout& labels) { return {{"kind", to_string(labels.kind)}, {"width", labels.width}}; }

std::string name_of(Color color) {
  if (color == Color::gray) return "gray";
  return color == Color::rgb ? "rgb" : "other";
}

std::string describe(const LabelLayout& labels, bool has_masks) {
  if (has_masks) return labels.kind == LabelKind::none ? "masks" : describe(labels) + "; masks";
  if (labels.kind == LabelKind::class_index) return "class";
  if (labels.kind == LabelKind::multi_label) return "multi-label x " + format_count(labels.width);
  return labels.kind == LabelKind::target ? counted(labels.width, "target") : "none";
}

std::string describe(const LabelLayout& labels, const std::optional<MaskCounts>& masks) {
  if (!masks) return describe(labels);
  return (labels.kind == LabelKind::none ? "" : describe(labels) + "; ") + describe(*masks);
}

Json describe_split(const SourceSplit& split) {
  const std::int64_t packed_bytes = split.sample_count * split.shape.values();
  return {{"name", split.name},
          {"sample_count", split.sample_count},
          {"shape", as_json(split.shape)},
          {"labels", as_json(split.labels)},
          {"masks", split.has_masks},
          {"color", name_of(split.color)},
          {"packed_bytes", packed_bytes},
          {"mask_bytes", mask_bytes(split)},
          {"float32_bytes", 4 * packed_bytes + mask_bytes(split)}};
}

}  // namespace octavo::tools
