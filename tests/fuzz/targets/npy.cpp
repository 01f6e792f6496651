// Fuzzes .npy files.
#include "arrays/npy.hpp"

#include "support/fuzz_target.hpp"
#include "support/read_array.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run_input([&] {
    const auto text = fuzz::text_of(fuzz::bytes_of(data, size));
    const auto stream = std::shared_ptr(files::stream_in_memory("\"fuzz\"", text));
    const auto array = arrays::describe_npy(*stream);
    if (array.is_text) arrays::read_npy_texts(*stream);
    if (array.is_usable()) fuzz::read_array(*arrays::open_npy(stream));
    return true;
  });
}
