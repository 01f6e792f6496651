// Deflating a chunk, and inflating it: zlib streams (RFC 1950), made and read by libdeflate.
#pragma once

#include <libdeflate.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace octavo::dataset_file {

/// One compressor: 1 MB or so, to be used again. One thread at a time.
class Deflater {
 public:
  /// `level` from 1 to 12. Throws std::bad_alloc.
  explicit Deflater(int level);

  /// The stream that inflates to `chunk`, or nothing if it would not be smaller by 3 %. Equal for equal input, level
  /// and version of libdeflate.
  std::optional<std::vector<std::byte>> deflate(std::span<const std::byte> chunk);

 private:
  struct Free {
    void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
  };
  std::unique_ptr<libdeflate_compressor, Free> compressor_;
  std::vector<std::byte> room_;
};

/// Inflates `stream` into `out`. False unless it is one whole zlib stream of exactly that many bytes whose own checksum
/// is right; `out` is of no use then.
bool inflate(std::span<const std::byte> stream, std::span<std::byte> out);

}  // namespace octavo::dataset_file
