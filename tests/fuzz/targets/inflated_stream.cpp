// Fuzzes gzip files (first byte even) and zlib streams inside other files (odd), read forward and then again.
#include <array>

#include "files/byte_stream.hpp"
#include "support/fuzz_target.hpp"

using namespace octavo;

namespace {

// Deflate expands a byte to at most 1,032, so the input bounds the cost of a run.
constexpr std::int64_t kMostInflatedBytes = std::int64_t{8} << 20;

void read_twice(files::ByteStream& stream) {
  const auto whole = stream.read_whole(kMostInflatedBytes);
  std::array<std::byte, 7> again{};
  const std::size_t count = stream.read_some_at(std::ssize(whole) / 2, again);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::byte(whole[whole.size() / 2 + i]) != again[i]) __builtin_trap();
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  return fuzz::run_input([&] {
    auto packed = files::stream_in_memory("\"fuzz\"", fuzz::text_of(fuzz::bytes_of(data + 1, size - 1)));
    if (data[0] % 2 == 0) {
      read_twice(*files::inflate_gzip(std::move(packed)));
    } else {
      const std::int64_t length = *packed->length();
      read_twice(*files::inflate_part(std::move(packed), length / 16, length - length / 16));
    }
    return true;
  });
}
