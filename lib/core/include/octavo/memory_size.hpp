// The size of a device's memory as people write it.
#pragma once

#include <cstdint>
#include <string_view>

namespace octavo {

/// The same as parse_byte_count(), but a number below 2^20 needs a unit: nobody means 24 bytes by "24". Throws
/// InvalidArgument, which asks for the unit and suggests `usual_unit`.
std::int64_t parse_memory_size(std::string_view text, std::string_view usual_unit = "GiB");

}  // namespace octavo
