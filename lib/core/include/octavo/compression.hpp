// How samples are compressed in a dataset file. The command line and Python list this table.
#pragma once

#include <array>
#include <cstddef>

namespace octavo {

/// none: plain bytes. deflate: chunks of whole samples, each one a zlib stream, which every HDF5 program can read; they
/// are inflated as they are loaded. lp8: each sample on its own, lossless, about half the size for photographs; it
/// stays compressed in the memory of a device, and gathers decode it. lc8: as lp8, a fifth smaller, and slower to
/// decode.
enum class Compression { none, deflate, lp8, lc8 };

struct CompressionInfo {
  Compression compression;
  const char* name;
  bool stays_compressed;  ///< in the memory of a device
};
inline constexpr std::array<CompressionInfo, 4> kCompressions = {{
    {Compression::none, "none", false},
    {Compression::deflate, "deflate", false},
    {Compression::lp8, "lp8", true},
    {Compression::lc8, "lc8", true},
}};

/// The name of the compression, such as "deflate".
constexpr const char* to_string(Compression compression) {
  return kCompressions[static_cast<std::size_t>(compression)].name;
}

/// Whether samples stay compressed in the memory of a device.
constexpr bool stays_compressed(Compression compression) {
  return kCompressions[static_cast<std::size_t>(compression)].stays_compressed;
}

/// The largest change of a value that compression in memory may make, for smaller files: values become multiples of a
/// step. 0 is lossless.
inline constexpr int kMostMaxError = 3;

/// The step of values that differ by at most `max_error` from multiples of it.
constexpr int value_step(int max_error) { return 2 * max_error + 1; }

/// Deflate levels: the fastest, the smallest and the default.
inline constexpr int kLeastCompressionLevel = 1;
inline constexpr int kMostCompressionLevel = 12;
inline constexpr int kDefaultCompressionLevel = 4;

}  // namespace octavo
