// Choosing the compression of a dataset file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <octavo/compression.hpp>
#include <octavo/source.hpp>

namespace octavo {

struct CompressionChoice {
  Compression compression = Compression::none;
  /// "compression: lp8, the fastest that fits in 5.0 MiB (estimates: none 7.5 MiB, lp8 4.2 MiB, lc8 3.8 MiB)"
  std::string note;
};

/// Encodes up to 1,000 samples of a split of `source`, at most 8 MiB, and estimates the size of all samples: of the
/// largest split, or of the first one if the source is read in order.
///
/// With `memory_bytes`, the memory of a device for samples: the fastest of none, lp8 and lc8 that fits, or the smallest
/// if none fits. Without: lp8 if it is at least 3 % smaller than none, because it is fast on all devices.
/// `max_error` is that of PackOptions; with 1 or more, Compression::none is not a candidate.
/// `source` counts the samples that it reads: open it again for packing. Throws InvalidArgument if `max_error` or
/// `memory_bytes` is out of range, and what Source::read() throws.
CompressionChoice choose_compression(Source& source, std::optional<int> max_error = {},
                                     std::optional<std::int64_t> memory_bytes = {});

}  // namespace octavo
