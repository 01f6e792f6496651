#include "format/coded_rows/decode_rows.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "format/codec.hpp"
#include "kernels/cpu/row_codes.hpp"
#include "kernels/cpu/scratch_parts.hpp"

namespace octavo::dataset_file {
namespace {

/// Memory for decoded rows, aligned for SIMD instructions.
class Scratch {
 public:
  explicit Scratch(std::int64_t bytes)
      : memory_(static_cast<std::size_t>(bytes + kernels::cpu::kScratchAlignment)), bytes_(bytes) {}

  std::byte* begin() {
    void* at = memory_.data();
    std::size_t room = memory_.size();
    return static_cast<std::byte*>(
        std::align(kernels::cpu::kScratchAlignment, static_cast<std::size_t>(bytes_), at, room));
  }

 private:
  std::vector<std::byte> memory_;
  std::int64_t bytes_;
};

}  // namespace

void decode_rows(kernels::RowCoding coding, const SampleShape& shape, const RowOffsets& offsets, const StoredRows& rows,
                 std::span<std::byte> out) {
  const auto values = static_cast<std::size_t>(shape.values());
  std::vector<std::uint64_t> own_offsets;
  for (std::int64_t i = 0; i <= rows.count; ++i) {
    own_offsets.push_back(static_cast<std::uint64_t>(offsets.bytes(rows.first_row, i)));
  }
  std::vector<std::byte> guarded(rows.bytes.size() + static_cast<std::size_t>(kernels::kRowGuardBytes));
  std::ranges::copy(rows.bytes, guarded.begin());
  const kernels::PackedRows packed = {.codes = reinterpret_cast<const std::int8_t*>(guarded.data()),
                                      .labels = nullptr,
                                      .resident_count = rows.count,
                                      .staged_codes = nullptr,
                                      .staged_labels = nullptr,
                                      .row_stride_bytes = 0,
                                      .label_words = 0,
                                      .coding = coding,
                                      .shape = shape,
                                      .row_offsets = own_offsets.data(),
                                      .tables = offsets.tables() ? offsets.tables()->entries.data() : nullptr,
                                      .value_step = offsets.value_step()};
  kernels::cpu::ScratchParts counted(nullptr);
  kernels::cpu::RowCodes(packed, shape.values(), counted);
  Scratch scratch(counted.bytes());
  kernels::cpu::ScratchParts parts(scratch.begin());
  const kernels::cpu::RowCodes row_codes(packed, shape.values(), parts);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows.count); ++row) {
    std::memcpy(out.data() + row * values, row_codes.of(static_cast<std::int64_t>(row)), values);
  }
}

}  // namespace octavo::dataset_file
