// Sizes and counts as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace octavo {

/// Returns the number of bytes in a size such as "24GiB", "512 MiB", "80GB", "1.5TiB" or "4096". KiB, MiB, GiB and TiB
/// are powers of 1024; KB, MB, GB and TB are powers of 1000; in any case. Throws InvalidArgument for any other text,
/// for less than one byte and for more than 2^60 bytes.
std::int64_t parse_byte_count(std::string_view text);

/// "812 B", "44.9 MiB".
std::string format_bytes(std::int64_t bytes);

/// "60,000".
std::string format_count(std::int64_t count);

/// "3 samples", "1 sample".
std::string counted(std::int64_t count, const std::string& noun);

}  // namespace octavo
