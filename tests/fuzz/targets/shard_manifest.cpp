// Fuzzes the manifest of a dataset of shards.
#include "format/shards/manifest.hpp"
#include "support/fuzz_target.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(fuzz::bytes_of(data, size));
  return fuzz::run_input([&] {
    const std::string encoded = encode_manifest(dataset_file::decode_manifest(text));
    // An accepted manifest must encode to the same text after a round trip.
    if (encode_manifest(dataset_file::decode_manifest(encoded)) != encoded) __builtin_trap();
    return true;
  });
}
