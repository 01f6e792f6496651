// Fuzzes IDX files (MNIST's format), already decompressed.
#include "arrays/idx.hpp"

#include "support/fuzz_target.hpp"
#include "support/read_array.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run_input([&] {
    const auto text = fuzz::text_of(fuzz::bytes_of(data, size));
    fuzz::read_array(*arrays::open_idx(files::stream_in_memory("\"fuzz\"", text)));
    return true;
  });
}
