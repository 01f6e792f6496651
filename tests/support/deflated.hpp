// Deflates bytes in one piece to zlib streams.
#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>

namespace octavo::test {

/// A zlib stream that inflates to `bytes`.
inline std::string zlib_stream(const std::string& bytes) {
  uLongf length = compressBound(bytes.size());
  std::string out(length, '\0');
  const int status = compress(reinterpret_cast<Bytef*>(out.data()), &length,
                              reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  if (status != Z_OK) throw std::runtime_error("cannot deflate");
  out.resize(length);
  return out;
}

}  // namespace octavo::test
