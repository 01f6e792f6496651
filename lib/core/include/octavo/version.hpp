// The library and file format versions.
#pragma once

#include <string_view>

namespace octavo {

/// Semantic version of this library. It is also written into dataset files.
inline constexpr std::string_view kVersion = "0.1.0";

/// The newest file format version that this library reads. It writes the oldest version that can hold the data.
inline constexpr int kFormatVersion = 4;

}  // namespace octavo
