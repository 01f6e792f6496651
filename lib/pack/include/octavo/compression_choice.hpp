// Choosing the compression of a dataset file by what samples would take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <octavo/compression.hpp>
#include <octavo/source.hpp>

namespace octavo {

struct CompressionChoice {
  Compression compression = Compression::none;
  std::string reason;  ///< "lp8, the fastest whose 1.2 GiB fit in 2.0 GiB (none: 2.3 GiB, lc8: 1.0 GiB)"
};

/// Encodes up to 1,000 samples of the largest split of `source`, at most 8 MiB, and estimates what all samples take.
///
/// With `memory_bytes`, the memory of a device for samples: the fastest of none, lp8 and lc8 that fits, lc8 if none
/// does. Without: lp8 if it is at least 3 % smaller than none, which keeps batches fast on any device.
/// `max_error` is that of PackOptions; with one, none is left out.
/// `source` counts the samples that are read, so open it again for packing. Throws what Source::read() throws.
CompressionChoice choose_compression(Source& source, std::optional<int> max_error = {},
                                     std::optional<std::int64_t> memory_bytes = {});

}  // namespace octavo
