// The version of the library.
#pragma once

#include <string_view>

namespace octavo {

/// Semantic version of this library; also written into the files it makes.
inline constexpr std::string_view kVersion = "0.1.0";

/// The newest file format that this library writes and reads.
inline constexpr int kFormatVersion = 1;

}  // namespace octavo
