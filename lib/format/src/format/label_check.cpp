#include "format/label_check.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace octavo::dataset_file {
namespace {

template <typename Value>
Value value_at(std::span<const std::byte> bytes, std::size_t number) {
  Value value;
  std::memcpy(&value, bytes.data() + number * sizeof value, sizeof value);
  return value;
}

}  // namespace

const char* label_problem(LabelKind kind, std::span<const std::byte> labels, std::size_t number,
                          std::size_t class_count) {
  if (kind == LabelKind::target) {
    return std::isfinite(value_at<float>(labels, number)) ? nullptr : "a target that is not finite";
  }
  const auto label = value_at<std::int32_t>(labels, number);
  if (kind == LabelKind::multi_label) return label == 0 || label == 1 ? nullptr : "a label that is neither 0 nor 1";
  if (label < 0) return "a negative class number";
  const bool named = class_count == 0 || static_cast<std::size_t>(label) < class_count;
  return named ? nullptr : "a class number without a class name";
}

}  // namespace octavo::dataset_file
