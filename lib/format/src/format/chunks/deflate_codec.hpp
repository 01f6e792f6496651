// Chunks as zlib streams (RFC 1950), by libdeflate.
#pragma once

#include "format/codec.hpp"

namespace octavo::dataset_file {

/// An encoder of about 1 MB, for a `level` from 1 to 12. Throws std::bad_alloc.
std::unique_ptr<ChunkEncoder> make_deflater(int level);

/// As Codec::decode.
bool inflate(std::span<const std::byte> stream, std::span<std::byte> out);

/// Deflate expands by at most a factor of 1,032.
inline constexpr Codec kDeflateCodec = {.compression = Compression::deflate,
                                        .name_in_index = "deflate",
                                        .rows_stand_alone = false,
                                        .hdf5_filter = 1,  // H5Z_FILTER_DEFLATE
                                        .most_hdf5_level = 9,
                                        .most_expansion = 1032,
                                        .make_encoder = &make_deflater,
                                        .decode = &inflate};

}  // namespace octavo::dataset_file
