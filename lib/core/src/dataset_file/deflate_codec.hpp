// Deflates and inflates chunks: zlib streams (RFC 1950), by libdeflate.
#pragma once

#include <libdeflate.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace octavo::dataset_file {

/// A reusable compressor of about 1 MB. Not thread-safe.
class Deflater {
 public:
  /// `level` from 1 to 12. Throws std::bad_alloc.
  explicit Deflater(int level);

  /// Returns the compressed stream of `chunk`, or nothing if it would not be at least 3 % smaller. Deterministic for a
  /// given input, level and version of libdeflate.
  std::optional<std::vector<std::byte>> deflate(std::span<const std::byte> chunk);

 private:
  struct Free {
    void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
  };
  std::unique_ptr<libdeflate_compressor, Free> compressor_;
  std::vector<std::byte> room_;
};

/// Inflates `stream` into `out`. Returns false unless `stream` is one whole zlib stream with a valid checksum that
/// inflates to exactly out.size() bytes; the contents of `out` are then unspecified.
bool inflate(std::span<const std::byte> stream, std::span<std::byte> out);

}  // namespace octavo::dataset_file
