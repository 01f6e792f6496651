#include "store/spec/tensor_check.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

#include <octavo/errors.hpp>

namespace octavo::store {
namespace {

std::string list(std::initializer_list<DType> types) {
  std::string text;
  for (const DType type : types) text += (text.empty() ? "" : " or ") + std::string(to_string(type));
  return text;
}

void check_tensor(const TensorView& tensor, std::int64_t elements, std::initializer_list<DType> types, Device device,
                  const char* what) {
  if (tensor.element_count() != elements) {
    throw InvalidArgument(std::string("gather a batch: the tensor for ") + what + " has " +
                          std::to_string(tensor.element_count()) + " elements; expected " + std::to_string(elements));
  }
  if (std::find(types.begin(), types.end(), tensor.dtype) == types.end()) {
    throw InvalidArgument(std::string("gather a batch: the tensor for ") + what + " has type " +
                          to_string(tensor.dtype) + "; expected " + list(types));
  }
  if (tensor.device != device) {
    throw InvalidArgument(std::string("gather a batch: the tensor for ") + what + " is on " + to_string(tensor.device) +
                          "; expected the store's device, " + to_string(device));
  }
  if (tensor.data == nullptr && elements != 0) {
    throw InvalidArgument(std::string("gather a batch: the tensor for ") + what + " has no memory");
  }
  if (reinterpret_cast<std::uintptr_t>(tensor.data) % static_cast<std::uintptr_t>(bytes_of(tensor.dtype)) != 0) {
    throw InvalidArgument(std::string("gather a batch: the memory for ") + what +
                          " is not aligned to its element size; allocate aligned memory");
  }
}

}  // namespace

void check_batch_tensors(const StoredSamples& samples, const BatchSpec& spec, std::int64_t batch_count,
                         const TensorView& images, const TensorView& labels, const TensorView& masks) {
  const Device device = samples.backend->device();
  const BatchShape shape = batch_shape(spec, samples.shape);
  check_tensor(images, batch_count * shape.values(), {shape.dtype}, device, "images");
  if (masks.data != nullptr) {
    if (!samples.has_masks || !spec.with_masks) {
      throw InvalidArgument("gather a batch: the samples have no masks; omit them, or load a split with masks");
    }
    check_tensor(masks, batch_count * shape.mask_values(), {spec.mask_dtype}, device, "masks");
  }
  if (labels.data == nullptr) return;
  const LabelLayout layout = batch_labels(spec, samples.labels);
  const std::int64_t label_count = batch_count * layout.width;
  switch (layout.kind) {
    case LabelKind::target:
      return check_tensor(labels, label_count, {DType::float32}, device, "labels");
    case LabelKind::multi_label:
      return check_tensor(labels, label_count, {DType::int32, DType::int64, DType::float32}, device, "labels");
    case LabelKind::class_index:
    case LabelKind::none:
      return check_tensor(labels, label_count, {DType::int32, DType::int64}, device, "labels");
  }
}

LabelTarget label_target(const TensorView& labels, LabelKind kind) {
  if (labels.dtype == DType::int64) return {labels.data, kernels::LabelType::int64};
  if (labels.dtype == DType::float32 && kind == LabelKind::multi_label) {
    return {labels.data, kernels::LabelType::float32};
  }
  return {labels.data, kernels::LabelType::words};
}

}  // namespace octavo::store
