// The checksums that publishers list, by libcrypto.
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

/// A checksum of pieces one after another.
class Digest {
 public:
  /// Throws Unavailable if the system does not allow this kind.
  explicit Digest(DigestKind kind);
  void add(std::span<const std::byte> bytes);
  /// Lower-case hex digits. Nothing can be added afterwards.
  std::string finish();

 private:
  UniqueHandle<EVP_MD_CTX*, nullptr, &EVP_MD_CTX_free> context_;
};

}  // namespace octavo::fetching
