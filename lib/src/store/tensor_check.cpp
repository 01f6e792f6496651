#include "store/tensor_check.hpp"

#include <string>

#include <octavo/errors.hpp>

namespace octavo::store {
namespace {

void check_tensor(const TensorView& tensor, std::int64_t elements, DType type, Device device, const char* what) {
  if (tensor.element_count() != elements) {
    throw InvalidArgument(std::string("gather a batch: the tensor for ") + what + " holds " +
                          std::to_string(tensor.element_count()) + " numbers, " + std::to_string(elements) +
                          " are needed");
  }
  if (tensor.dtype != type) {
    throw InvalidArgument(std::string("gather a batch: the tensor for ") + what + " holds " + to_string(tensor.dtype) +
                          ", it must hold " + to_string(type));
  }
  if (tensor.device != device) {
    throw InvalidArgument(std::string("gather a batch: the tensor for ") + what + " is on " + to_string(tensor.device) +
                          ", the store on " + to_string(device));
  }
  if (tensor.data == nullptr && elements != 0) {
    throw InvalidArgument(std::string("gather a batch: the tensor for ") + what + " has no memory");
  }
  if (reinterpret_cast<std::uintptr_t>(tensor.data) % static_cast<std::uintptr_t>(bytes_of(type)) != 0) {
    throw InvalidArgument(std::string("gather a batch: the memory for ") + what +
                          " does not begin at a multiple of its numbers' size; allocate it as such numbers");
  }
}

}  // namespace

void check_batch_tensors(const ResidentSamples& samples, const BatchSpec& spec, std::int64_t batch_count,
                         const TensorView& images, const TensorView& labels) {
  const Device device = samples.backend->device();
  check_tensor(images, batch_count * samples.shape.values(), spec.dtype, device, "images");
  if (labels.data == nullptr) return;
  const DType type = samples.labels.kind == LabelKind::target ? DType::float32 : DType::int32;
  check_tensor(labels, batch_count * samples.labels.width, type, device, "labels");
}

}  // namespace octavo::store
