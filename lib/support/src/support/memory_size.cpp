#include <octavo/memory_size.hpp>

#include <string>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>

namespace octavo {

std::int64_t parse_memory_size(std::string_view text, std::string_view usual_unit) {
  constexpr std::int64_t kLeastWithoutUnit = std::int64_t{1} << 20;
  const std::int64_t bytes = parse_byte_count(text);
  const bool has_unit = text.find_first_not_of("0123456789.") != std::string_view::npos;
  if (has_unit || bytes >= kLeastWithoutUnit) return bytes;
  throw InvalidArgument("memory size \"" + std::string(text) + "\" has no unit; write " + std::string(text) +
                        std::string(usual_unit) + ", or " + std::string(text) + "B for bytes");
}

}  // namespace octavo
