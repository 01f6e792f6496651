// Access to libFuzzer's own mutations, for mutators that repair checksums afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

/// Mutates the `size` bytes at `data`, a buffer with room for `max_size`. Returns the new size.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
/// If defined, libFuzzer calls this instead.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed);

namespace octavo::fuzz {

/// Mutates, and in most cases calls repair(bytes). Some wrong checksums must remain, to test that they are refused.
template <typename Repair>
std::size_t mutate_and_repair(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed,
                              const Repair& repair) {
  size = LLVMFuzzerMutate(data, size, max_size);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (seed % 8 != 0) repair(bytes);
  size = bytes.size() < max_size ? bytes.size() : max_size;
  std::memcpy(data, bytes.data(), size);
  return size;
}

/// The little-endian number of `count` bytes at `at`. The bytes must exist.
inline std::uint64_t number_at(const std::string& bytes, std::size_t at, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = count; i-- > 0;) number = number << 8 | static_cast<std::uint8_t>(bytes[at + i]);
  return number;
}

inline void put_number(std::string& bytes, std::size_t at, std::uint64_t number, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<char>(number >> 8 * i);
}

}  // namespace octavo::fuzz
