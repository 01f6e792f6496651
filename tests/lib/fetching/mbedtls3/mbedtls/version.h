// The declarations of Mbed TLS 3 that octavo::fetch uses, to compile its code for that version without the library.
#pragma once

#define MBEDTLS_VERSION_MAJOR 3
