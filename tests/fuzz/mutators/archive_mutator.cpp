// Mutates tar and zip archives, and repairs the checksums of tar headers and of stored zip members.
#include <zlib.h>

#include <algorithm>

#include "mutate.hpp"

using namespace octavo::fuzz;

namespace {

// A tar header has 512 bytes, with "ustar" at 257. The octal field at 148 holds the sum of all bytes, where the field
// itself counts as blanks.
constexpr std::size_t kBlock = 512, kSumAt = 148, kSumBytes = 8;

void repair_tar(std::string& bytes) {
  for (std::size_t at = 0; at + kBlock <= bytes.size(); at += kBlock) {
    if (bytes.compare(at + 257, 5, "ustar") != 0) continue;
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at + kSumAt), kSumBytes, ' ');
    unsigned sum = 0;
    for (std::size_t i = 0; i < kBlock; ++i) sum += static_cast<std::uint8_t>(bytes[at + i]);
    for (std::size_t digit = 0; digit < 6; ++digit, sum /= 8) {
      bytes[at + kSumAt + 5 - digit] = static_cast<char>('0' + sum % 8);
    }
    bytes[at + kSumAt + 6] = '\0';
  }
}

/// Also corrects the CRC in the central directory for the file with the local header at `local`.
void put_in_directory(std::string& bytes, std::size_t local, std::uint64_t crc) {
  for (std::size_t at = bytes.find("PK\1\2"); at != std::string::npos; at = bytes.find("PK\1\2", at + 4)) {
    if (at + 46 <= bytes.size() && number_at(bytes, at + 42, 4) == local) put_number(bytes, at + 16, crc, 4);
  }
}

void repair_zip(std::string& bytes) {
  for (std::size_t at = bytes.find("PK\3\4"); at != std::string::npos; at = bytes.find("PK\3\4", at + 4)) {
    if (at + 30 > bytes.size()) return;
    const bool is_stored = number_at(bytes, at + 8, 2) == 0;
    const std::size_t length = number_at(bytes, at + 18, 4);
    const std::size_t begin = at + 30 + number_at(bytes, at + 26, 2) + number_at(bytes, at + 28, 2);
    if (!is_stored || begin > bytes.size() || length > bytes.size() - begin) continue;
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(bytes.data() + begin), static_cast<uInt>(length));
    put_number(bytes, at + 14, crc, 4);
    put_in_directory(bytes, at, crc);
  }
}

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed) {
  return mutate_and_repair(data, size, max_size, seed, [](std::string& bytes) {
    if (bytes.starts_with("PK")) {
      repair_zip(bytes);
    } else {
      repair_tar(bytes);
    }
  });
}
