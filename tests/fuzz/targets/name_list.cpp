// Fuzzes files of class names.
#include "sources/lists/name_list.hpp"

#include "support/fuzz_target.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run_input([&] {
    sources::read_name_list(*files::stream_in_memory("\"fuzz\"", fuzz::text_of(fuzz::bytes_of(data, size))));
    return true;
  });
}
