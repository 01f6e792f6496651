#include "format/chunks/deflate_codec.hpp"

#include <libdeflate.h>

#include <new>

namespace octavo::dataset_file {
namespace {

/// A chunk that shrinks less is stored uncompressed, so reading it is a plain copy.
constexpr std::size_t kLeastGainPercent = 3;

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
};
struct FreeDecompressor {
  void operator()(libdeflate_decompressor* decompressor) const { libdeflate_free_decompressor(decompressor); }
};

class Deflater final : public ChunkEncoder {
 public:
  explicit Deflater(int level) : compressor_(libdeflate_alloc_compressor(level)) {
    if (!compressor_) throw std::bad_alloc();
  }

  std::optional<std::vector<std::byte>> encode(std::span<const std::byte> chunk) override {
    room_.resize(chunk.size() - (chunk.size() * kLeastGainPercent + 99) / 100);
    const std::size_t bytes =
        libdeflate_zlib_compress(compressor_.get(), chunk.data(), chunk.size(), room_.data(), room_.size());
    if (bytes == 0) return std::nullopt;
    return std::vector<std::byte>(room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(bytes));
  }

 private:
  std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor_;
  std::vector<std::byte> room_;
};

}  // namespace

std::unique_ptr<ChunkEncoder> make_deflater(int level) { return std::make_unique<Deflater>(level); }

bool inflate(std::span<const std::byte> stream, std::span<std::byte> out) {
  const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(libdeflate_alloc_decompressor());
  if (!decompressor) throw std::bad_alloc();
  std::size_t used = 0;
  // With a null pointer for the output size, any size other than out.size() is an error.
  const libdeflate_result result = libdeflate_zlib_decompress_ex(decompressor.get(), stream.data(), stream.size(),
                                                                 out.data(), out.size(), &used, nullptr);
  return result == LIBDEFLATE_SUCCESS && used == stream.size();
}

}  // namespace octavo::dataset_file
