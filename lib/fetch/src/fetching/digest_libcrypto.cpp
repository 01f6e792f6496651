// Checksums with libcrypto.
#include <openssl/evp.h>

#include <array>
#include <new>

#include <octavo/errors.hpp>

#include "fetching/digest.hpp"
#include "support/unique_handle.hpp"

namespace octavo::fetching {

struct Digest::Context {
  UniqueHandle<EVP_MD_CTX*, nullptr, &EVP_MD_CTX_free> handle{EVP_MD_CTX_new()};
};

Digest::Digest(DigestKind kind) : context_(std::make_unique<Context>()) {
  if (!context_->handle) throw std::bad_alloc();
  const EVP_MD* const algorithm = kind == DigestKind::md5 ? EVP_md5() : EVP_sha256();
  if (EVP_DigestInit_ex(context_->handle.get(), algorithm, nullptr) == 1) return;
  // Some systems forbid weak checksums (FIPS).
  throw Unavailable(
      std::string("check a file by its ") + name_of(kind) +
      ": libcrypto does not allow it on this system; describe the set with the other checksum (`description`)");
}

Digest::Digest(Digest&&) noexcept = default;
Digest::~Digest() = default;

void Digest::add(std::span<const std::byte> bytes) {
  if (EVP_DigestUpdate(context_->handle.get(), bytes.data(), bytes.size()) != 1) throw std::bad_alloc();
}

std::string Digest::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int byte_count = 0;
  if (EVP_DigestFinal_ex(context_->handle.get(), bytes.data(), &byte_count) != 1) throw std::bad_alloc();
  return hex_digits(std::span(bytes).first(byte_count));
}

}  // namespace octavo::fetching
