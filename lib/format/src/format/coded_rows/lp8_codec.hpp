// Rows in RowCoding::lp8 (kernels/codecs/lp8_format.hpp).
#pragma once

#include "format/codec.hpp"

namespace octavo::dataset_file {

/// As Codec::make_row_encoder. Has no tables.
std::unique_ptr<RowEncoder> make_lp8_encoder(const SampleShape& shape, std::shared_ptr<const RowTables> tables);

/// As Codec::can_be_row.
bool can_be_lp8_row(const SampleShape& shape, std::int64_t bytes);

inline constexpr Codec kLp8Codec = {.compression = Compression::lp8,
                                    .name_in_index = "lp8",
                                    .rows_stand_alone = true,
                                    .row_coding = kernels::RowCoding::lp8,
                                    .make_row_encoder = &make_lp8_encoder,
                                    .can_be_row = &can_be_lp8_row};

}  // namespace octavo::dataset_file
