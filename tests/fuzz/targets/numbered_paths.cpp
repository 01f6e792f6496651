// Fuzzes paths that stand for several numbered files, such as "shard-{000..099}.tar".
#include "sources/lists/numbered_paths.hpp"

#include "support/fuzz_target.hpp"

using namespace octavo;

namespace {

/// Up to a million paths are allowed, but that many are too slow to make often.
bool makes_long_list(const std::string& text) {
  const std::size_t end = text.rfind('}');
  const std::size_t points = text.rfind("..", end);
  if (points == std::string::npos || end == std::string::npos || end < points + 2) return false;
  const std::size_t digits = end - points - 2;
  return digits > 3 && digits < 13;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(fuzz::bytes_of(data, size));
  if (makes_long_list(text)) return 0;
  return fuzz::run_input([&] {
    const auto paths = sources::expand_numbers(text);
    if (paths.empty()) __builtin_trap();
    return true;
  });
}
