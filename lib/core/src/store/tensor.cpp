#include <octavo/tensor.hpp>

namespace octavo {
namespace {

std::vector<std::string> names_of_types(bool DTypeInfo::*usable) {
  std::vector<std::string> names;
  for (const DTypeInfo& info : kDTypes) {
    if (info.*usable) names.push_back(info.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> image_type_names() { return names_of_types(&DTypeInfo::for_images); }
std::vector<std::string> label_type_names() { return names_of_types(&DTypeInfo::for_labels); }
std::vector<std::string> mask_type_names() { return names_of_types(&DTypeInfo::for_masks); }

}  // namespace octavo
