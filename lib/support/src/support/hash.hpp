// XXH3-64, the hash of the file format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>

#if defined(OCTAVO_XXHASH_DISPATCH)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

namespace octavo {

inline std::uint64_t hash_bytes(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

/// Hashes data piece by piece.
class StreamingHash {
 public:
  StreamingHash() : state_(XXH3_createState()) {
    if (!state_) throw std::bad_alloc();
    reset();
  }
  void reset() { XXH3_64bits_reset(state_.get()); }
  void add(std::span<const std::byte> bytes) { XXH3_64bits_update(state_.get(), bytes.data(), bytes.size()); }
  std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

/// The checksum of a sample: the hash of its code bytes, then its label bytes, then those of its mask, if there is one
/// (docs/format.md, "checksums").
inline std::uint64_t sample_checksum(StreamingHash& hash, std::span<const std::byte> codes,
                                     std::span<const std::byte> label, std::span<const std::byte> mask) {
  if (label.empty() && mask.empty()) return hash_bytes(codes);
  hash.reset();
  hash.add(codes);
  hash.add(label);
  hash.add(mask);
  return hash.value();
}

/// 16 hex digits, as in the index.
std::string to_hex(std::uint64_t value);

}  // namespace octavo
