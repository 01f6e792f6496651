// Fuzzes the decoders of LP8 rows.
#include "support/coded_row.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return octavo::fuzz::decode_row(octavo::Compression::lp8, data, size);
}
