#include "exporting/class_folders.hpp"
#include "support/text/short_text.hpp"

#include <algorithm>

namespace octavo::exporting {
namespace {

/// A file name has at most 255 bytes, including the number and hyphen in front.
constexpr std::size_t kMostNameBytes = 200;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() || name.empty() ? folder + name : folder + "/" + name;
}

}  // namespace

std::string padded(std::int64_t number, std::int64_t largest) {
  const std::string digits = std::to_string(number);
  const std::size_t width = std::to_string(largest).size();
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

std::string safe_name(std::string_view name) {
  std::string safe(name);
  if (safe.size() > kMostNameBytes) {
    std::size_t end = kMostNameBytes;
    while (end > 0 && is_inside_character(safe[end])) --end;
    safe.resize(end);
  }
  for (char& c : safe) {
    if (c == '/' || c == '\\' || is_control(c)) c = '_';
  }
  for (std::size_t i = 0; i < safe.size() && safe[i] == '.'; ++i) safe[i] = '_';
  return safe;
}

ClassFolders::ClassFolders(const Split& split, std::string split_folder, std::int32_t largest_label)
    : split_folder_(std::move(split_folder)),
      has_classes_(split.labels().kind == LabelKind::class_index),
      largest_row_(split.sample_count() - 1),
      largest_label_(std::max(largest_label, static_cast<std::int32_t>(split.class_names().size()) - 1)) {
  for (const std::string& name : split.class_names()) safe_class_names_.push_back(safe_name(name));
}

std::string ClassFolders::folder(std::int32_t label) const {
  if (!has_classes_) return split_folder_;
  const auto at = static_cast<std::size_t>(label);
  const std::string name = at < safe_class_names_.size() ? safe_class_names_[at] : "";
  return joined(split_folder_, padded(label, largest_label_) + (name.empty() ? "" : "-" + name));
}

std::string ClassFolders::path(std::int64_t row, std::int32_t label) const {
  return joined(folder(label), padded(row, largest_row_) + ".png");
}

}  // namespace octavo::exporting
