// From Mbed TLS 3.6: the functions with the suffix _ret are gone, and those without it return a status.
#pragma once

#include <cstddef>

extern "C" {
struct mbedtls_md5_context {
  int state;
};
void mbedtls_md5_init(mbedtls_md5_context* context);
void mbedtls_md5_free(mbedtls_md5_context* context);
int mbedtls_md5_starts(mbedtls_md5_context* context);
int mbedtls_md5_update(mbedtls_md5_context* context, const unsigned char* input, std::size_t byte_count);
int mbedtls_md5_finish(mbedtls_md5_context* context, unsigned char output[16]);
}
