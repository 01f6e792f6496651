#include "images/xmp_orientation.hpp"

#include <string_view>

namespace octavo::images {

std::optional<int> xmp_orientation(std::span<const std::byte> packet) {
  constexpr std::string_view kName = "tiff:Orientation";
  std::string_view text(reinterpret_cast<const char*>(packet.data()), packet.size());
  for (std::size_t at = text.find(kName); at != text.npos; at = text.find(kName)) {
    text.remove_prefix(at + kName.size());
    const std::size_t value_at = text.starts_with("=\"") ? 2 : text.starts_with(">") ? 1 : text.npos;
    if (value_at >= text.size() || text[value_at] < '0' || text[value_at] > '9') continue;
    const int orientation = text[value_at] - '0';
    return orientation >= 1 && orientation <= 8 ? orientation : 1;
  }
  return std::nullopt;
}

}  // namespace octavo::images
