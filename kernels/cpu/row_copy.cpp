#include "cpu/row_copy.hpp"

#include <algorithm>
#include <cstring>

namespace octavo::kernels::cpu {

void row_copy(const RowCopyArgs& args, std::int64_t first, std::int64_t last) {
  for (std::int64_t b = first; b < last; ++b) {
    const std::int64_t row = row_at(args.selection, b);
    float* out = args.out + b * args.values_per_row;
    if (row < 0) {
      std::fill_n(out, args.values_per_row, 0.0f);
      __atomic_store_n(args.error_slot, 1u, __ATOMIC_RELAXED);
    } else {
      std::memcpy(out, args.rows + row * args.values_per_row,
                  sizeof(float) * static_cast<std::size_t>(args.values_per_row));
    }
    if (args.out_labels == nullptr) continue;
    for (std::int64_t word = 0; word < args.label_words; ++word) {
      args.out_labels[b * args.label_words + word] = row < 0 ? 0 : args.labels[row * args.label_words + word];
    }
  }
}

}  // namespace octavo::kernels::cpu
