// Outputs that are undefined until a kernel writes them.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/gather.hpp"

namespace octavo::test {

/// Makes bytes undefined until a kernel writes them. Only an interpreter of kernels can do this: elsewhere, these
/// functions do nothing.
void mark_unwritten(void* begin, std::size_t bytes);
/// The number of bytes that are still undefined.
std::size_t unwritten_bytes(const void* begin, std::size_t bytes);

template <typename T, typename Allocator>
void mark_unwritten(std::vector<T, Allocator>& values) {
  mark_unwritten(values.data(), values.size() * sizeof(T));
}
template <typename T, typename Allocator>
std::size_t unwritten_bytes(const std::vector<T, Allocator>& values) {
  return unwritten_bytes(values.data(), values.size() * sizeof(T));
}

namespace detail {

inline std::size_t value_bytes(const kernels::GatherArgs& args) {
  return static_cast<std::size_t>(args.batch_count * args.batch.values()) * bytes_of(args.batch.dtype);
}
inline std::size_t label_bytes(const kernels::GatherArgs& args) {
  if (args.out_labels == nullptr) return 0;
  const bool is_wide = args.augment.soft_labels.width() == 0 && args.label_type == kernels::LabelType::int64;
  return static_cast<std::size_t>(args.batch_count * label_width(args)) * (is_wide ? 8 : 4);
}

}  // namespace detail

/// The values and labels of a gather.
inline void mark_unwritten(const kernels::GatherArgs& args) {
  mark_unwritten(args.values, detail::value_bytes(args));
  mark_unwritten(args.out_labels, detail::label_bytes(args));
}
inline std::size_t unwritten_bytes(const kernels::GatherArgs& args) {
  return unwritten_bytes(args.values, detail::value_bytes(args)) +
         unwritten_bytes(args.out_labels, detail::label_bytes(args));
}

}  // namespace octavo::test
