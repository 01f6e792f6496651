// From Mbed TLS 3.6, as md5.h.
#pragma once

#include <cstddef>

extern "C" {
struct mbedtls_sha256_context {
  int state;
};
void mbedtls_sha256_init(mbedtls_sha256_context* context);
void mbedtls_sha256_free(mbedtls_sha256_context* context);
int mbedtls_sha256_starts(mbedtls_sha256_context* context, int is_sha224);
int mbedtls_sha256_update(mbedtls_sha256_context* context, const unsigned char* input, std::size_t byte_count);
int mbedtls_sha256_finish(mbedtls_sha256_context* context, unsigned char* output);
}
