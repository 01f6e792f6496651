#include "files/unicode.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace octavo::files {

std::string normalized(std::string_view text) {
  const bool is_ascii = std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; });
  if (is_ascii) return std::string(text);
  utf8proc_uint8_t* composed = nullptr;
  const utf8proc_ssize_t count =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), std::ssize(text), &composed,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
  if (count < 0) return std::string(text);
  return {reinterpret_cast<const char*>(composed), static_cast<std::size_t>(count)};
}

}  // namespace octavo::files
