#include "view/caption.hpp"

#include <algorithm>

namespace octavo::view {

std::string in_ascii(const std::string& text) {
  std::string ascii;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues_character = (byte & 0xC0) == 0x80;
    if (!continues_character) ascii += byte >= 0x20 && byte < 0x7F ? c : '\x7F';
  }
  return ascii;
}

CaptionLine fit_caption(const Caption& caption, std::int64_t character_count) {
  const auto room = static_cast<std::size_t>(std::max<std::int64_t>(0, character_count));
  CaptionLine line = {in_ascii(caption.class_name), std::to_string(caption.index)};
  if (line.left.size() > room) line.left.resize(room);
  const std::size_t blank = line.left.empty() ? 0 : 1;
  if (line.left.size() + blank + line.right.size() > room) line.right.clear();
  return line;
}

std::vector<Caption> captions_of(const std::vector<std::int64_t>& indices, const std::vector<std::int32_t>& labels,
                                 const std::vector<std::string>& class_names) {
  std::vector<Caption> captions;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto number = static_cast<std::size_t>(labels[i]);
    captions.push_back({number < class_names.size() ? class_names[number] : std::to_string(labels[i]), indices[i]});
  }
  return captions;
}

}  // namespace octavo::view
