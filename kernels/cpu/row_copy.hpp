// Copying float32 rows on the CPU: a stretch of a batch on the calling thread.
#pragma once

#include "kernels/row_copy.hpp"

namespace octavo::kernels::cpu {

/// Copies places [first, last) of the batch. Different places may be copied by different threads at once.
void row_copy(const RowCopyArgs& args, std::int64_t first, std::int64_t last);

}  // namespace octavo::kernels::cpu
