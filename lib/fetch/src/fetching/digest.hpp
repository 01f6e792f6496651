// The checksums that publishers list, computed by libcrypto.
#pragma once

#include <openssl/evp.h>

#include <cstddef>
#include <span>
#include <string>

#include "support/unique_handle.hpp"

namespace octavo::fetching {

enum class DigestKind { md5, sha256 };

/// "MD5", "SHA-256".
const char* name_of(DigestKind kind);

/// A checksum over consecutive pieces.
class Digest {
 public:
  /// Throws Unavailable if the system does not allow this kind.
  explicit Digest(DigestKind kind);
  void add(std::span<const std::byte> bytes);
  /// The checksum in lower-case hex digits. Call it once, after the last add().
  std::string finish();

 private:
  UniqueHandle<EVP_MD_CTX*, nullptr, &EVP_MD_CTX_free> context_;
};

}  // namespace octavo::fetching
