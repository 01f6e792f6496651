// Amounts of memory as people write them.
#pragma once

#include <cstdint>
#include <string_view>

namespace octavo {

/// The bytes of "24GiB", "512 MiB", "80GB", "1.5TiB" or "4096": KiB, MiB, GiB and TiB are powers of 1024, KB, MB, GB
/// and TB of 1000. Throws InvalidArgument for anything else, for less than a byte and for more than 2^60 bytes.
std::int64_t parse_byte_count(std::string_view text);

}  // namespace octavo
