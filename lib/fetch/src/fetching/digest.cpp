#include "fetching/digest.hpp"

#include <array>
#include <new>

#include <octavo/errors.hpp>

namespace octavo::fetching {

const char* name_of(DigestKind kind) { return kind == DigestKind::md5 ? "MD5" : "SHA-256"; }

Digest::Digest(DigestKind kind) : context_(EVP_MD_CTX_new()) {
  if (!context_) throw std::bad_alloc();
  const EVP_MD* const algorithm = kind == DigestKind::md5 ? EVP_md5() : EVP_sha256();
  if (EVP_DigestInit_ex(context_.get(), algorithm, nullptr) == 1) return;
  // Some systems forbid weak checksums (FIPS).
  throw Unavailable(
      std::string("check a file by its ") + name_of(kind) +
      ": libcrypto does not allow it on this system; describe the set with the other checksum (`description`)");
}

void Digest::add(std::span<const std::byte> bytes) {
  if (EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) throw std::bad_alloc();
}

std::string Digest::finish() {
  constexpr const char* kHexDigits = "0123456789abcdef";
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int byte_count = 0;
  if (EVP_DigestFinal_ex(context_.get(), bytes.data(), &byte_count) != 1) throw std::bad_alloc();
  std::string digits;
  for (unsigned int i = 0; i < byte_count; ++i) {
    digits += kHexDigits[bytes[i] >> 4];
    digits += kHexDigits[bytes[i] & 15];
  }
  return digits;
}

}  // namespace octavo::fetching
