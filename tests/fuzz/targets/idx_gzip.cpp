// Fuzzes gzip files that hold IDX files. The mutator repairs gzip checksums and lengths.
#include "arrays/idx.hpp"
#include "support/fuzz_target.hpp"
#include "support/read_array.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run_input([&] {
    auto packed = files::stream_in_memory("\"fuzz\"", fuzz::text_of(fuzz::bytes_of(data, size)));
    fuzz::read_array(*arrays::open_idx(files::inflate_gzip(std::move(packed))));
    return true;
  });
}
