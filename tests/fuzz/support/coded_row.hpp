// Fuzzes the decoders of an encoding of rows.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "format/codec.hpp"
#include "kernels/cpu/row_codes.hpp"
#include "kernels/cpu/scratch_parts.hpp"
#include "kernels/stages/load.hpp"
#include "kernels/thread_group.hpp"
#include "support/fuzz_target.hpp"

namespace octavo::fuzz {

/// Any bytes decode in bounds, to the same codes by definition and with SIMD instructions. The first three are the
/// shape of the image.
inline int decode_row(Compression compression, const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const dataset_file::Codec& codec = dataset_file::codec_of(compression);
  // Wider than two strips, and low, because every row of an image takes the same paths.
  const SampleShape shape{data[0] % 4 + 1, data[1] % 12 + 1, data[2] % 90 + 1};
  const std::size_t row_bytes = (size - 3) / 4 * 4;
  if (!codec.can_be_row(shape, static_cast<std::int64_t>(row_bytes))) return 0;
  return run_input([&] {
    // The memory ends where a decoder may read last.
    std::vector<std::int8_t> row(row_bytes + static_cast<std::size_t>(kernels::kRowGuardBytes));
    std::memcpy(row.data(), data + 3, row_bytes);
    const std::array<std::uint64_t, 2> offsets = {0, row_bytes};
    const std::shared_ptr<const dataset_file::RowTables> tables = codec.tables_for(shape);
    const kernels::PackedRows packed = {.codes = row.data(),
                                        .labels = nullptr,
                                        .resident_count = 1,
                                        .staged_codes = nullptr,
                                        .staged_labels = nullptr,
                                        .row_stride_bytes = 0,
                                        .label_words = 0,
                                        .coding = codec.row_coding,
                                        .shape = shape,
                                        .row_offsets = offsets.data(),
                                        .tables = tables ? tables->entries.data() : nullptr};
    const auto values = static_cast<std::size_t>(shape.values());
    std::vector<std::int8_t> codes(values);
    kernels::DecodedRows(packed).decode(0, kernels::whole_image(shape), codes.data(), kernels::OneThread());
    kernels::cpu::ScratchParts counted(nullptr);
    kernels::cpu::RowCodes(packed, shape.values(), counted);
    std::vector<std::byte> scratch(static_cast<std::size_t>(counted.bytes()));
    kernels::cpu::ScratchParts parts(scratch.data());
    const kernels::cpu::RowCodes rows(packed, shape.values(), parts);
    if (std::memcmp(rows.of(0), codes.data(), values) != 0) __builtin_trap();
    const std::int64_t y = data[size - 1] % shape.height, x = data[size - 2] % shape.width;
    const kernels::ImagePart pixel = {kernels::AxisPart::of(y, y + 1), kernels::AxisPart::of(x, x + 1)};
    const std::int64_t last_plane = (shape.channels - 1) * shape.values_per_channel();
    const auto at = static_cast<std::size_t>(last_plane + y * shape.width + x);
    if (rows.of(0, pixel)[at] != codes[at]) __builtin_trap();
    // What is encoded again can be a row. Encoding takes much longer than decoding.
    if (data[size - 1] != 0) return true;
    std::vector<std::byte> again;
    codec.make_row_encoder(shape, tables)->encode(std::as_bytes(std::span(codes)), again);
    if (!codec.can_be_row(shape, std::ssize(again))) __builtin_trap();
    return true;
  });
}

}  // namespace octavo::fuzz
