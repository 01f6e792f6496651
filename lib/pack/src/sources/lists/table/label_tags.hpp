// Labels that are several tags in one text, such as "haze primary water".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace octavo::sources {

/// How the tags in a label are separated.
class TagSeparator {
 public:
  /// `text` is "space" (any number of blanks), "comma", "semicolon", "bar" or "tab", or the separator itself.
  explicit TagSeparator(std::string_view text);

  /// The tags of a label without blanks around them, and without empty ones. A label in brackets is a list as Python,
  /// NumPy or JSON write it: text in quotes or numbers, with commas or blanks between; or text without quotes, with
  /// this separator, or commas for blanks, between. Nothing if it is in brackets, but no such list.
  std::optional<std::vector<std::string>> tags_in(std::string_view label) const;
  /// The same, but what is in brackets and no list is one tag.
  std::vector<std::string> tags_of(std::string_view label) const;
  /// Whether it is between the tags of a label, or at their end. Lists in brackets have separators of their own.
  bool occurs_in(std::string_view label) const;
  /// "spaces", "commas" or "\"+\"", for messages.
  std::string describe() const;
  /// The value of the option `label_separator` for it.
  std::string option() const;

 private:
  std::vector<std::string> divided(std::string_view label) const;
  std::optional<std::vector<std::string>> bare_items(std::string_view list) const;

  std::string separator_;  ///< empty: blanks
};

/// Whether labels are several tags.
struct TagGuess {
  enum class Kind {
    one_class,  ///< each label is one class
    tags,       ///< each label is several tags, with `separator`
    numbers,    ///< each label is several numbers that are no class numbers
    unclear,    ///< one class or tags, with `separator`
  };
  Kind kind = Kind::one_class;
  std::optional<TagSeparator> separator = {};
  std::string example = {};    ///< a label with several tags
  bool is_remarkable = false;  ///< Kind::one_class: parts of names recur in names of other lengths
};

/// Guesses from all labels; missing ones do not count. `class_names` are the names that the user gives.
///
///   Labels in brackets are tags. Otherwise, the first of "|", ";", "," and blanks that is in a label may separate
///   tags. With given names, they are tags if all parts are among the names or are numbers, else one class each.
///   With "|" or ";", they are tags if a part recurs in another label, else unclear.
///   With "," or blanks:
///   - Numbers with commas are one label, which may be a number with a decimal comma or thousands separators.
///   - Numbers with blanks between are not labels if some are not class numbers. Class numbers are tags if labels have
///     different numbers of them, none twice, else unclear.
///   - Words are tags if labels have different numbers of them, none twice, and at most half as many words as labels
///     are different. They are unclear if fewer words than labels are different, or if a word recurs and the column
///     has a name for several labels, such as "tags".
TagGuess guess_tags(const std::vector<std::string>& labels, const std::vector<std::string>& class_names,
                    std::string_view column);

}  // namespace octavo::sources
