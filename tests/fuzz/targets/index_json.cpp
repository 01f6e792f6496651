// Fuzzes the JSON index of a dataset file: strict parsing, decoding, and the checks of its offsets.
#include "format/index/index.hpp"
#include "support/fuzz_target.hpp"
#include "support/strict_json.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(fuzz::bytes_of(data, size));
  fuzz::refuse_or_read([&] { parse_strict_json(text); });
  return fuzz::run_input([&] {
    const dataset_file::Index index = dataset_file::decode_index(text);
    constexpr std::int64_t kFileBytes = 1 << 20;
    dataset_file::check_index(index, {1, kFileBytes, kFileBytes - 4096, 4096, 0, 0});
    // An accepted index must encode to the same text after a round trip.
    if (dataset_file::encode_index(dataset_file::decode_index(dataset_file::encode_index(index))) !=
        dataset_file::encode_index(index)) {
      __builtin_trap();
    }
    return true;
  });
}
