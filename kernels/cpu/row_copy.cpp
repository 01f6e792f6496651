#include "kernels/cpu/row_copy.hpp"

#include <algorithm>
#include <cstring>

namespace octavo::kernels::cpu {

void row_copy(const RowCopyArgs& args, std::int64_t first, std::int64_t last) {
  for (std::int64_t b = first; b < last; ++b) {
    const std::int64_t row = row_at(args.selection, b);
    std::memcpy(args.out + b * args.values_per_row, args.rows + row * args.values_per_row,
                sizeof(float) * static_cast<std::size_t>(args.values_per_row));
    if (args.out_labels == nullptr) continue;
    std::copy_n(args.labels + row * args.label_words, args.label_words, args.out_labels + b * args.label_words);
  }
}

}  // namespace octavo::kernels::cpu
