// Fuzzes the table of deflated chunks or a chunk. The first byte selects which, the second the size of a chunk.
#include <vector>

#include "format/chunks/chunk_table.hpp"
#include "format/chunks/deflate_codec.hpp"
#include "support/fuzz_target.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto rest = fuzz::bytes_of(data + 2, size - 2);
  return fuzz::run_input([&] {
    if (data[0] % 4 == 0) {
      const auto table = rest.first(rest.size() / dataset_file::kChunkEntryBytes * dataset_file::kChunkEntryBytes);
      const auto chunks = dataset_file::decode_chunk_table(table, 8 * data[1], dataset_file::kDeflateCodec);
      if (dataset_file::encode_chunk_table(chunks).size() * 8 != table.size()) __builtin_trap();
    } else {
      std::vector<std::byte> chunk(8 * std::size_t{data[1]});
      static_cast<void>(dataset_file::inflate(rest, chunk));
    }
    return true;
  });
}
