// SHA-256 and HMAC, which sign requests: a build with libcurl may have no library for them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace octavo::remote {

using Sha256 = std::array<std::uint8_t, 32>;

/// FIPS 180-4, section 6.2.
Sha256 sha256(std::string_view bytes);
/// RFC 2104 with SHA-256.
Sha256 hmac_sha256(std::string_view key, std::string_view bytes);

inline std::string_view as_text(const Sha256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}
/// 64 digits in lower case.
std::string hex_text(const Sha256& digest);

}  // namespace octavo::remote
