// Checksums with Mbed TLS. The library uses nothing else of it.
#include <mbedtls/md5.h>
#include <mbedtls/sha256.h>
#include <mbedtls/version.h>

#include <array>

#include <octavo/errors.hpp>

#include "fetching/digest.hpp"

namespace octavo::fetching {
namespace {

// The functions that return a status.
#if MBEDTLS_VERSION_MAJOR >= 3
constexpr auto* md5_starts = &mbedtls_md5_starts;
constexpr auto* md5_update = &mbedtls_md5_update;
constexpr auto* md5_finish = &mbedtls_md5_finish;
constexpr auto* sha256_starts = &mbedtls_sha256_starts;
constexpr auto* sha256_update = &mbedtls_sha256_update;
constexpr auto* sha256_finish = &mbedtls_sha256_finish;
#else
constexpr auto* md5_starts = &mbedtls_md5_starts_ret;
constexpr auto* md5_update = &mbedtls_md5_update_ret;
constexpr auto* md5_finish = &mbedtls_md5_finish_ret;
constexpr auto* sha256_starts = &mbedtls_sha256_starts_ret;
constexpr auto* sha256_update = &mbedtls_sha256_update_ret;
constexpr auto* sha256_finish = &mbedtls_sha256_finish_ret;
#endif

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
  check(kind == DigestKind::md5 ? md5_starts(&context_->md5) : sha256_starts(&context_->sha256, 0));
}

Digest::Digest(Digest&&) noexcept = default;
Digest::~Digest() = default;

void Digest::add(std::span<const std::byte> bytes) {
  check(context_->kind == DigestKind::md5 ? md5_update(&context_->md5, as_chars(bytes), bytes.size())
                                          : sha256_update(&context_->sha256, as_chars(bytes), bytes.size()));
}

std::string Digest::finish() {
  std::array<unsigned char, 32> bytes{};
  if (context_->kind == DigestKind::md5) {
    check(md5_finish(&context_->md5, bytes.data()));
    return hex_digits(std::span(bytes).first(16));
  }
  check(sha256_finish(&context_->sha256, bytes.data()));
  return hex_digits(bytes);
}

}  // namespace octavo::fetching
