#include "arrays/image_axes.hpp"

#include <octavo/errors.hpp>

namespace octavo::arrays {
namespace {

bool may_be_channels(std::int64_t axis) { return axis == 1 || axis == 3 || axis == 4; }

[[noreturn]] void refuse_axes(const Array& images, const std::string& problem) {
  throw FormatError("read the images " + images.name() + ": their shape is " + axes_text(images.axes()) + ", " +
                    problem);
}

AxisOrder find_order(const Array& images) {
  const auto& axes = images.axes();
  if (axes.size() == 3) {
    if (axes[2] == 3 || axes[2] == 4) {
      refuse_axes(images, "which may be one image or many; add an axis N in front, or choose `layout=hw`");
    }
    return AxisOrder::hw;
  }
  if (axes.size() != 4) refuse_axes(images, "but images have 3 axes (N, H, W) or 4 (with channels); reshape the array");
  const bool are_last = may_be_channels(axes[3]), are_first = may_be_channels(axes[1]);
  // A second axis of length 1 counts as channels only if the last axis cannot be channels.
  if (are_last && are_first && axes[1] != 1 && axes[1] != axes[3]) {
    refuse_axes(images, "so channels may be the second or the last axis; choose `layout=chw` or `layout=hwc`");
  }
  if (are_last) return AxisOrder::hwc;
  if (are_first) return AxisOrder::chw;
  refuse_axes(images, "and neither the second nor the last axis has 1, 3 or 4 channels; choose one with `layout`");
}

[[noreturn]] void refuse_reversed(const Array& images, const std::string& problem) {
  const std::vector<std::int64_t> as_in_matlab(images.axes().rbegin(), images.axes().rend());
  throw FormatError("read the images " + images.name() + ": their shape in MATLAB is " + axes_text(as_in_matlab) +
                    ", " + problem);
}

/// MATLAB's images are [H,W,N] or [H,W,C,N], a single color image is [H,W,3], and NumPy's images that were saved as a
/// MATLAB file are [N,H,W,C].
AxisOrder find_reversed_order(const Array& images) {
  const auto& axes = images.axes();
  if (axes.size() == 3) {
    if (axes[0] == 3 || axes[0] == 4) {
      refuse_reversed(images, "which may be one image or many; add an axis N at the end, or choose `layout=hw`");
    }
    return AxisOrder::wh;
  }
  if (axes.size() != 4) {
    refuse_reversed(images, "but images have 3 axes (H, W, N) or 4 (H, W, C, N); reshape the array");
  }
  if (may_be_channels(axes[1])) return AxisOrder::cwh;
  refuse_reversed(images,
                  "and the third axis does not have 1, 3 or 4 channels; expected H x W x C x N, which permute() "
                  "makes in MATLAB; or choose an order with `layout`");
}

}  // namespace

bool ImageAxes::is_planar() const {
  return column_step == 1 && row_step == shape.width && channel_step == shape.values_per_channel();
}

ImageAxes image_axes(const Array& images, AxisOrder order) {
  if (order == AxisOrder::found) order = find_order(images);
  if (order == AxisOrder::found_reversed) order = find_reversed_order(images);
  const auto& axes = images.axes();
  const std::size_t wanted = order == AxisOrder::hw || order == AxisOrder::wh ? 3 : 4;
  if (axes.size() != wanted) refuse_axes(images, "but the layout requires " + std::to_string(wanted) + " axes");
  switch (order) {
    case AxisOrder::hwc:
      return {{axes[3], axes[1], axes[2]}, 1, axes[2] * axes[3], axes[3]};
    case AxisOrder::chw:
      return {{axes[1], axes[2], axes[3]}, axes[2] * axes[3], axes[3], 1};
    case AxisOrder::cwh:
      return {{axes[1], axes[3], axes[2]}, axes[2] * axes[3], 1, axes[3]};
    case AxisOrder::whc:
      return {{axes[3], axes[2], axes[1]}, 1, axes[3], axes[2] * axes[3]};
    case AxisOrder::wh:
      return {{1, axes[2], axes[1]}, axes[1] * axes[2], 1, axes[2]};
    default:
      return {{1, axes[1], axes[2]}, axes[1] * axes[2], axes[2], 1};
  }
}

}  // namespace octavo::arrays
