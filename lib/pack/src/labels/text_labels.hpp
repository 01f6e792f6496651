// Labels that are text, one per sample: class numbers, class names or targets, by one rule for all sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <octavo/sample.hpp>

namespace octavo::labels {

/// A sample that has no usable label.
struct Unlabeled {
  std::size_t at = 0;  ///< the number of the sample, in the order of add()
  std::string reason;  ///< "its label is missing ("NaN")"
};

/// The labels of all samples, all of one kind.
struct LabelTable {
  LabelLayout layout;                    ///< of width 1; `none` if no sample has a label
  std::vector<double> numbers;           ///< for each sample; unspecified for those in `unlabeled`
  std::vector<std::string> class_names;  ///< in label order; empty if the classes have no names
  std::vector<Unlabeled> unlabeled;      ///< in ascending order
};

/// Collects the labels of all samples, then numbers them. A label without the blanks around it is
///
///   missing  if it is empty, "?", or NaN in any case; for classes also if it is -1; and NA, N/A, null or an infinity
///            in any case unless there are names, since NA may then be Namibia
///   number   if it is a finite decimal number, "3", "-0.5" or "1e3"
///   name     otherwise
///
/// Numbers are class numbers if all are whole, so that "10" is class 10 whichever other classes there are, otherwise
/// targets. Names are numbered in byte order, or as in the given names. A label that is among the given names, which a
/// number can be too, is that class if any other label is a name.
class TextLabels {
 public:
  /// Where a sample is, for messages: "line 7".
  using PlaceOf = std::function<std::string(std::size_t)>;

  /// `given_names` are the names of the classes in label order; empty: inferred. `wanted` is class_index or target, to
  /// decide the kind instead of the labels.
  explicit TextLabels(std::vector<std::string> given_names, std::optional<LabelKind> wanted = {});

  /// Adds the label of the next sample.
  void add(std::string_view text);

  /// The labels of all samples. Throws FormatError, with the reason only, if there are both numbers and names, whole
  /// numbers that are not class numbers from 0 to 2147483647, or, without given names, only names that are numbers with
  /// thousands separators; it shows one example of each, with its place. Throws it also if there are given names for
  /// targets.
  LabelTable numbered(const PlaceOf& place_of) const;

 private:
  enum class Meaning : std::uint8_t { missing, missing_number, number, name };
  struct Label {
    std::uint32_t text = 0;  ///< in texts_
    Meaning meaning = Meaning::missing;
    double number = 0.0;  ///< Meaning::number
  };

  std::uint32_t text_number(std::string_view text);
  bool has(Meaning meaning) const;
  const std::string& text_of(std::size_t at) const { return texts_[labels_[at].text]; }
  std::string example(std::size_t at, const PlaceOf& place_of) const;
  /// Throws if all names are numbers with thousands separators. Requires a name.
  void refuse_thousands(const PlaceOf& place_of) const;
  LabelTable numbered_names(const PlaceOf& place_of) const;
  LabelTable numbered_classes(const PlaceOf& place_of) const;
  LabelTable targets() const;
  std::optional<std::string> name_problem(std::size_t at) const;

  const std::vector<std::string> given_names_;
  const std::optional<LabelKind> wanted_;
  std::vector<Label> labels_;
  std::vector<std::string> texts_;  ///< each different text once
  std::unordered_map<std::string, std::uint32_t> number_of_text_;
};

/// Whether a text is a number with a comma before every three digits, "1,234" or "-1,234.5", without blanks around it.
bool has_thousands_separators(std::string_view text);

/// The number that a text is, without blanks around it and with "+" allowed; nothing if it is not a finite decimal
/// number.
std::optional<double> number_in(std::string_view text);

}  // namespace octavo::labels
