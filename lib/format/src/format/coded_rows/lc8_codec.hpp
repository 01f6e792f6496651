// Rows in RowCoding::lc8 (kernels/codecs/lc8_format.hpp).
#pragma once

#include "format/codec.hpp"
#include "format/coded_rows/lc8_tables.hpp"

namespace octavo::dataset_file {

/// As Codec::make_row_encoder and Codec::can_be_row.
std::unique_ptr<RowEncoder> make_lc8_encoder(const SampleShape& shape, std::shared_ptr<const RowTables> tables);
bool can_be_lc8_row(const SampleShape& shape, std::int64_t bytes);

/// Adds the residuals of a sample to `counts`.
void count_lc8_residuals(const SampleShape& shape, std::span<const std::byte> codes, Lc8Counts& counts);
/// As Codec::train_tables.
std::shared_ptr<const RowTables> train_lc8_tables(const SampleShape& shape, std::span<const std::byte> codes);

inline constexpr Codec kLc8Codec = {.compression = Compression::lc8,
                                    .name_in_index = "lc8",
                                    .rows_stand_alone = true,
                                    .row_coding = kernels::RowCoding::lc8,
                                    .make_row_encoder = &make_lc8_encoder,
                                    .can_be_row = &can_be_lc8_row,
                                    .default_tables = &default_lc8_tables,
                                    .train_tables = &train_lc8_tables,
                                    .read_tables = &read_lc8_tables};

}  // namespace octavo::dataset_file
