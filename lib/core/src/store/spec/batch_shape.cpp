#include <octavo/batch_shape.hpp>

namespace octavo {

BatchShape batch_shape(const BatchSpec& spec, const SampleShape& sample) {
  return {.image = augment::augmented_shape(spec.augment, sample),
          .views = spec.views,
          .dtype = spec.dtype,
          .layout = spec.layout};
}

LabelLayout batch_labels(const BatchSpec& spec, const LabelLayout& stored) {
  if (spec.mix && spec.mix->pairs) return {LabelKind::target, 3};
  return spec.soft_classes == 0 ? stored : LabelLayout{LabelKind::target, spec.soft_classes};
}

std::vector<std::int64_t> label_axes(const LabelLayout& labels, std::int64_t batch_count) {
  const bool is_number =
      labels.kind == LabelKind::class_index || (labels.kind == LabelKind::target && labels.width == 1);
  if (is_number) return {batch_count};
  return {batch_count, labels.width};
}

}  // namespace octavo
