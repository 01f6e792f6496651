// How images lie in a dataset file.
#pragma once

namespace octavo {

/// Plain bytes, or chunks of whole samples that are deflated one by one (zlib streams, which every HDF5 program reads).
enum class Compression { none, deflate };

/// "none", "deflate".
constexpr const char* to_string(Compression compression) {
  return compression == Compression::deflate ? "deflate" : "none";
}

/// Levels of deflate, from the fastest to the smallest; a middle one is the default.
inline constexpr int kLeastCompressionLevel = 1;
inline constexpr int kMostCompressionLevel = 12;
inline constexpr int kDefaultCompressionLevel = 4;

}  // namespace octavo
