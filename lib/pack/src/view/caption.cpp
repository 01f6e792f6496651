#include "view/caption.hpp"

#include <algorithm>
#include <span>

#include <octavo/view.hpp>

#include "support/text/text_units.hpp"

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

std::string class_text(std::int32_t number, const std::vector<std::string>& class_names) {
  const auto at = static_cast<std::size_t>(number);
  return at < class_names.size() ? class_names[at] : std::to_string(number);
}

std::vector<Caption> captions_of(const std::vector<std::int64_t>& indices, const std::vector<std::int32_t>& labels,
                                 const std::vector<std::string>& class_names) {
  std::vector<Caption> captions;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    captions.push_back({class_text(labels[i], class_names), indices[i]});
  }
  return captions;
}

}  // namespace octavo::view

std::string octavo::label_text(const Split& split, std::int64_t index) {
  const LabelLayout layout = split.labels();
  if (layout.kind == LabelKind::none) return "";
  const auto width = static_cast<std::size_t>(layout.width);
  std::vector<std::int32_t> numbers(width);
  std::vector<float> targets(width);
  const bool has_targets = layout.kind == LabelKind::target;
  split.read_labels(
      index, 1, has_targets ? std::as_writable_bytes(std::span(targets)) : std::as_writable_bytes(std::span(numbers)));
  if (layout.kind == LabelKind::class_index) return view::class_text(numbers[0], split.class_names());
  std::string text;
  for (std::size_t i = 0; i < width; ++i) {
    if (!has_targets && numbers[i] == 0) continue;
    text += text.empty() ? "" : ", ";
    text += has_targets ? formatted("%.4g", static_cast<double>(targets[i]))
                        : view::class_text(static_cast<std::int32_t>(i), split.class_names());
  }
  return text;
}
