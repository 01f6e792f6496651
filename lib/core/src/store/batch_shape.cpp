#include <octavo/batch_shape.hpp>

#include <array>

namespace octavo {

std::vector<std::int64_t> BatchShape::axes(std::int64_t batch_count) const {
  const std::array<std::int64_t, 4> sizes = {batch_count * views, image.channels, image.height, image.width};
  std::vector<std::int64_t> axes;
  for (const int axis : info_of(layout).axes) axes.push_back(sizes[static_cast<std::size_t>(axis)]);
  return axes;
}

std::vector<std::int64_t> BatchShape::nchw_strides() const {
  const std::vector<std::int64_t> sizes = axes(1);
  std::vector<std::int64_t> strides(4);
  std::int64_t stride = 1;
  for (std::size_t i = 4; i-- > 0;) {
    strides[static_cast<std::size_t>(info_of(layout).axes[i])] = stride;
    stride *= sizes[i];
  }
  return strides;
}

BatchShape batch_shape(const BatchSpec& spec, const SampleShape& sample) {
  return {.image = sample, .dtype = spec.dtype, .layout = spec.layout};
}

std::vector<std::int64_t> label_axes(const LabelLayout& labels, std::int64_t batch_count) {
  if (labels.kind == LabelKind::class_index) return {batch_count};
  return {batch_count, labels.width};
}

}  // namespace octavo
