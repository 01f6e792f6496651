// Parses human-readable memory sizes.
#pragma once

#include <cstdint>
#include <string_view>

namespace octavo {

/// Returns the number of bytes in a size such as "24GiB", "512 MiB", "80GB", "1.5TiB" or "4096". KiB, MiB, GiB and TiB
/// are powers of 1024; KB, MB, GB and TB are powers of 1000. Throws InvalidArgument for any other text, for less than
/// one byte and for more than 2^60 bytes.
std::int64_t parse_byte_count(std::string_view text);

}  // namespace octavo
