// Feeds a table of deflated chunks, and a chunk: the first byte says which, the second how large a chunk becomes.
#include <vector>

#include "archive/chunk_table.hpp"
#include "archive/deflate_codec.hpp"
#include "support/fuzz_target.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto rest = fuzz::bytes_of(data + 2, size - 2);
  return fuzz::run_input([&] {
    if (data[0] % 4 == 0) {
      const auto table = rest.first(rest.size() / archive::kChunkEntryBytes * archive::kChunkEntryBytes);
      const auto chunks = archive::decode_chunk_table(table, 8 * data[1]);
      if (archive::encode_chunk_table(chunks).size() * 8 != table.size()) __builtin_trap();
    } else {
      std::vector<std::byte> chunk(8 * std::size_t{data[1]});
      static_cast<void>(archive::inflate(rest, chunk));
    }
    return true;
  });
}
