#include <octavo/tensor.hpp>

#include <octavo/errors.hpp>

namespace octavo {
namespace {

std::vector<std::string> names_of_types(bool DTypeInfo::*usable) {
  std::vector<std::string> names;
  for (const DTypeInfo& info : kDTypes) {
    if (info.*usable) names.push_back(info.name);
  }
  return names;
}

std::string accessor_of(DType type) {
  switch (type) {
    case DType::float32:
      return "floats()";
    case DType::int32:
      return "ints()";
    case DType::float16:
    case DType::bfloat16:
    case DType::int64:
    case DType::uint8:
      return "`data`";
  }
  return "";
}

}  // namespace

void TensorView::check_readable(const char* accessor, DType wanted) const {
  const auto refuse = [&](const std::string& why) {
    throw InvalidArgument("read a tensor with " + std::string(accessor) + "(): " + why);
  };
  if (data == nullptr && element_count() != 0) {
    refuse("it has no memory, as the labels or masks of a split without any; check `data` first");
  }
  if (dtype != wanted) refuse("its type is " + std::string(to_string(dtype)) + "; use " + accessor_of(dtype));
  if (!device.is_cpu()) refuse("it is on " + to_string(device) + "; copy it from `data` to host memory");
}

std::vector<std::string> image_type_names() { return names_of_types(&DTypeInfo::for_images); }
std::vector<std::string> label_type_names() { return names_of_types(&DTypeInfo::for_labels); }
std::vector<std::string> mask_type_names() { return names_of_types(&DTypeInfo::for_masks); }

}  // namespace octavo
