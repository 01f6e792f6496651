// What is not packed of WebDataset samples, for a note.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace octavo::sources {

/// Different names, as many as a note can show.
class FewNames {
 public:
  /// Keeps a name if it is new and there is room; cuts long ones.
  void add(std::string_view name, std::string_view quote);
  bool empty() const { return names_.empty(); }
  /// ".cls, .seg.png and .txt", with "..." at the end if there are more names.
  std::string listed() const;
  /// "the member .txt", "the members .cls and .txt".
  std::string listed_as(const std::string& noun) const;

 private:
  std::set<std::string> names_;
  bool has_more_ = false;
};

/// The members of samples, and the keys of their JSON files, that are neither the image nor the label.
class LeftOutMembers {
 public:
  /// A sample with an image has another member with this extension, such as "seg.png".
  void add_member(const std::string& extension, bool is_first_of_sample);
  void add_json_key(std::string_view key) { json_keys_.add(key, "\""); }
  /// A sample has no image.
  void add_without_image(std::string_view name);
  /// Notes such as `left out the members .seg.png and .txt of 120 samples, and the JSON key "bbox"`.
  std::vector<std::string> remarks() const;

 private:
  FewNames extensions_, json_keys_, without_image_;
  std::int64_t sample_count_ = 0;  ///< of samples with other members
  std::int64_t without_image_count_ = 0;
};

}  // namespace octavo::sources
