// Copies float32 rows on the CPU: part of a batch, on the calling thread.
#pragma once

#include "kernels/row_copy.hpp"

namespace octavo::kernels::cpu {

/// Copies positions [first, last) of the batch. Different threads may copy different positions concurrently.
void row_copy(const RowCopyArgs& args, std::int64_t first, std::int64_t last);

}  // namespace octavo::kernels::cpu
