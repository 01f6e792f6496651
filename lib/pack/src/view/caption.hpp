// The text below a sample on a sheet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>

namespace octavo::view {

/// What is known about a sample.
struct Caption {
  std::string class_name;
  std::int64_t index = 0;  ///< of the sample, in its split
};

/// A caption as one line: the class name, or other text of the label, on the left and, if there is room, the index on
/// the right.
struct CaptionLine {
  std::string left;
  std::string right;
};

/// The text with one '\x7F' for each character that is not printable ASCII.
std::string in_ascii(const std::string& text);

/// Fits a caption into `character_count` characters. The class name is cut; characters other than printable ASCII
/// become one '\x7F' each.
CaptionLine fit_caption(const Caption& caption, std::int64_t character_count);

/// The name of a class, or its number if it has none.
std::string class_text(std::int32_t number, const std::vector<std::string>& class_names);

/// The captions of samples with these labels: a class without a name has its number.
std::vector<Caption> captions_of(const std::vector<std::int64_t>& indices, const std::vector<std::int32_t>& labels,
                                 const std::vector<std::string>& class_names);

}  // namespace octavo::view
