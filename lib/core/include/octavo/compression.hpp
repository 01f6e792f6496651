// How samples are compressed in a dataset file.
#pragma once

namespace octavo {

/// none: plain bytes. deflate: chunks of whole samples, each one a zlib stream, which every HDF5 program can read.
enum class Compression { none, deflate };

/// "none" or "deflate".
constexpr const char* to_string(Compression compression) {
  return compression == Compression::deflate ? "deflate" : "none";
}

/// Deflate levels: the fastest, the smallest and the default.
inline constexpr int kLeastCompressionLevel = 1;
inline constexpr int kMostCompressionLevel = 12;
inline constexpr int kDefaultCompressionLevel = 4;

}  // namespace octavo
