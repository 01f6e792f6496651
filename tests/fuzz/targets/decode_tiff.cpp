// Fuzzes the TIFF decoder.
#include "support/decode_format.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return octavo::fuzz::decode_format(octavo::fuzz::bytes_of(data, size), "TIFF");
}
