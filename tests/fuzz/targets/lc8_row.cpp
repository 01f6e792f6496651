// Fuzzes the decoders of LC8 rows.
#include "support/coded_row.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return octavo::fuzz::decode_row(octavo::Compression::lc8, data, size);
}
