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

struct CompressionLimits {
  /// The memory of a device for samples. The fastest encoding that fits is chosen, or the smallest if none fits.
  std::optional<std::int64_t> memory_bytes = {};
  /// The speed of a model. The smallest encoding is chosen that the processors of this machine, with all threads,
  /// decode at this speed, or the fastest if none is. The result depends on the machine.
  std::optional<double> samples_per_second = {};
};

/// Encodes up to 1,000 samples of a split of `source`, at most 8 MiB, and estimates the size of all samples: of the
/// largest split, or of the first one if the source is read in order.
///
/// Chooses among none, lp8 and lc8. Without limits: lp8 if it is at least 3 % smaller than none, because it is fast on
/// all devices. `max_error` is that of PackOptions; with 1 or more, Compression::none is not a candidate.
/// `source` counts the samples that it reads: open it again for packing. Throws InvalidArgument if `max_error` or a
/// limit is out of range, and what Source::read() throws.
CompressionChoice choose_compression(Source& source, std::optional<int> max_error = {},
                                     const CompressionLimits& limits = {});

}  // namespace octavo
