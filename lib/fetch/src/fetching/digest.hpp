// The checksums that publishers list, computed by libcrypto, or by Mbed TLS in a build without it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace octavo::fetching {

enum class DigestKind { md5, sha256 };

/// "MD5", "SHA-256".
const char* name_of(DigestKind kind);

/// A checksum over consecutive pieces.
class Digest {
 public:
  /// Throws Unavailable if the system does not allow this kind.
  explicit Digest(DigestKind kind);
  Digest(Digest&&) noexcept;
  ~Digest();
  void add(std::span<const std::byte> bytes);
  /// The checksum in lower-case hex digits. Call it once, after the last add().
  std::string finish();

 private:
  struct Context;  ///< of the library
  std::unique_ptr<Context> context_;
};

/// Lower-case hex digits, two per byte.
std::string hex_digits(std::span<const unsigned char> bytes);

}  // namespace octavo::fetching
