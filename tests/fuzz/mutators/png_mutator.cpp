// Mutates PNG files, and repairs the CRCs of their chunks.
#include <zlib.h>

#include "mutate.hpp"

using namespace octavo::fuzz;

namespace {

constexpr std::size_t kSignatureBytes = 8;

std::size_t big_endian_at(const std::string& bytes, std::size_t at) {
  return __builtin_bswap32(static_cast<std::uint32_t>(number_at(bytes, at, 4)));
}

/// A chunk consists of a length, a type, that many bytes, and the CRC of type and bytes.
void repair_chunks(std::string& bytes) {
  for (std::size_t at = kSignatureBytes; at + 12 <= bytes.size();) {
    const std::size_t length = big_endian_at(bytes, at);
    if (length > bytes.size() - at - 12) return;
    const auto* const type = reinterpret_cast<const Bytef*>(bytes.data() + at + 4);
    const auto crc = static_cast<std::uint32_t>(crc32(0, type, static_cast<uInt>(length + 4)));
    put_number(bytes, at + 8 + length, __builtin_bswap32(crc), 4);
    at += length + 12;
  }
}

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed) {
  return mutate_and_repair(data, size, max_size, seed, &repair_chunks);
}
