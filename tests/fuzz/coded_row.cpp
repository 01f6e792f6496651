// Fuzzes the decoders of LP8 rows: any bytes decode in bounds, to the same codes by definition and with SIMD
// instructions. The first three bytes are the shape of the image.
#include <array>
#include <cstring>
#include <vector>

#include "dataset_file/coded_rows/lp8_codec.hpp"
#include "kernels/cpu/decode_lp8.hpp"
#include "kernels/stages/load.hpp"
#include "kernels/thread_group.hpp"
#include "support/fuzz_target.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const SampleShape shape{data[0] % 4 + 1, data[1] % 70 + 1, data[2] % 90 + 1};
  const std::size_t row_bytes = (size - 3) / 4 * 4;
  if (!dataset_file::can_be_lp8_row(shape, static_cast<std::int64_t>(row_bytes))) return 0;
  return fuzz::run_input([&] {
    // The memory ends where a decoder may read last.
    std::vector<std::int8_t> row(row_bytes + static_cast<std::size_t>(kernels::kRowGuardBytes));
    std::memcpy(row.data(), data + 3, row_bytes);
    const std::array<std::uint64_t, 2> offsets = {0, row_bytes};
    const kernels::PackedRows packed = {.codes = row.data(),
                                        .labels = nullptr,
                                        .resident_count = 1,
                                        .staged_codes = nullptr,
                                        .staged_labels = nullptr,
                                        .row_stride_bytes = 0,
                                        .label_words = 0,
                                        .coding = kernels::RowCoding::lp8,
                                        .shape = shape,
                                        .row_offsets = offsets.data()};
    const auto values = static_cast<std::size_t>(shape.values());
    std::vector<std::int8_t> codes(values);
    kernels::Lp8Rows(packed).decode(0, codes.data(), kernels::OneThread());
    std::vector<std::int8_t> fast(values + static_cast<std::size_t>(kernels::cpu::kDecodedRowMargin));
    kernels::cpu::decode_lp8(packed, 0, fast.data());
    if (std::memcmp(codes.data(), fast.data(), values) != 0) __builtin_trap();
    // What is encoded again decodes to the same codes.
    std::vector<std::byte> again;
    dataset_file::make_lp8_encoder(shape)->encode(std::as_bytes(std::span(codes)), again);
    if (!dataset_file::can_be_lp8_row(shape, std::ssize(again))) __builtin_trap();
    return true;
  });
}
