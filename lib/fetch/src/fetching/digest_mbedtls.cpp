// Checksums with Mbed TLS, of which this uses nothing else.
#include <mbedtls/md5.h>
#include <mbedtls/sha256.h>

#include <array>

#include <octavo/errors.hpp>

#include "fetching/digest.hpp"

namespace octavo::fetching {
namespace {

const unsigned char* as_chars(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

void check(int status) {
  if (status != 0) throw Unavailable("compute a checksum: Mbed TLS reports error " + std::to_string(status));
}

}  // namespace

struct Digest::Context {
  explicit Context(DigestKind which) : kind(which) {
    mbedtls_md5_init(&md5);
    mbedtls_sha256_init(&sha256);
  }
  ~Context() {
    mbedtls_md5_free(&md5);
    mbedtls_sha256_free(&sha256);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  DigestKind kind;
  mbedtls_md5_context md5;
  mbedtls_sha256_context sha256;
};

Digest::Digest(DigestKind kind) : context_(std::make_unique<Context>(kind)) {
  check(kind == DigestKind::md5 ? mbedtls_md5_starts_ret(&context_->md5)
                                : mbedtls_sha256_starts_ret(&context_->sha256, 0));
}

Digest::Digest(Digest&&) noexcept = default;
Digest::~Digest() = default;

void Digest::add(std::span<const std::byte> bytes) {
  check(context_->kind == DigestKind::md5
            ? mbedtls_md5_update_ret(&context_->md5, as_chars(bytes), bytes.size())
            : mbedtls_sha256_update_ret(&context_->sha256, as_chars(bytes), bytes.size()));
}

std::string Digest::finish() {
  std::array<unsigned char, 32> bytes{};
  if (context_->kind == DigestKind::md5) {
    check(mbedtls_md5_finish_ret(&context_->md5, bytes.data()));
    return hex_digits(std::span(bytes).first(16));
  }
  check(mbedtls_sha256_finish_ret(&context_->sha256, bytes.data()));
  return hex_digits(bytes);
}

}  // namespace octavo::fetching
