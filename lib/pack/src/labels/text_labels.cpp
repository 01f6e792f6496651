#include "labels/text_labels.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "support/text/ascii.hpp"
#include "support/text/short_text.hpp"
#include "support/text/utf8.hpp"

namespace octavo::labels {
namespace {

constexpr std::size_t kMostShownBytes = 64;

/// Marks of a missing number, in lower case. Among names, they are names.
constexpr std::array<std::string_view, 7> kMissingNumbers = {"na",   "n/a",      "null",     "inf",
                                                             "-inf", "infinity", "-infinity"};

bool is_missing_in_all_kinds(std::string_view text) { return text.empty() || text == "?" || lower_case(text) == "nan"; }

/// Also for a number that does not fit in a double, which is as good as infinite.
bool marks_missing_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range && end == text.data() + text.size()) return true;
  return std::ranges::find(kMissingNumbers, lower_case(text)) != kMissingNumbers.end();
}

bool is_whole(double number) { return number == std::rint(number); }

/// A class number that marks a sample without a class, in scikit-learn, PyTorch and Hugging Face datasets.
constexpr double kNoClass = -1.0;

bool is_class_number(double number) {
  return is_whole(number) && number >= 0.0 && number <= std::numeric_limits<std::int32_t>::max();
}

std::string shown(std::string_view text) {
  const std::string start = printable(cut_utf8(text, kMostShownBytes));
  return "\"" + start + (text.size() > kMostShownBytes ? "..." : "") + "\"";
}

std::string missing_reason(std::string_view text) {
  const bool is_infinite = marks_missing_number(text) && !lower_case(text).starts_with('n');
  return std::string("its label is ") + (is_infinite ? "not a finite number (" : "missing (") + shown(text) + ")";
}

}  // namespace

std::optional<double> number_in(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool has_thousands_separators(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  text = trimmed(text);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const std::size_t first = text.find(',');
  if (first == std::string_view::npos || first < 1 || first > 3) return false;
  if (text.substr(0, first).find_first_not_of(kDigits) != std::string_view::npos) return false;
  for (text.remove_prefix(first); text.starts_with(','); text.remove_prefix(4)) {
    if (text.size() < 4 || text.substr(1, 3).find_first_not_of(kDigits) != std::string_view::npos) return false;
  }
  return text.empty() || (text[0] == '.' && text.find_first_not_of(kDigits, 1) == std::string_view::npos);
}

TextLabels::TextLabels(std::vector<std::string> given_names, std::optional<LabelKind> wanted)
    : given_names_(std::move(given_names)), wanted_(wanted) {}

void TextLabels::add(std::string_view text) {
  text = trimmed(text);
  // A longer text is neither a number nor a name: keep no more of it than shows that.
  const bool is_too_long = text.size() > kMostNameBytes;
  text = text.substr(0, kMostNameBytes + 1);
  Label label = {text_number(text)};
  if (is_too_long) {
    label.meaning = Meaning::name;
  } else if (const auto number = number_in(text)) {
    label.meaning = Meaning::number;
    label.number = *number;
  } else if (marks_missing_number(text)) {
    label.meaning = Meaning::missing_number;
  } else if (!is_missing_in_all_kinds(text)) {
    label.meaning = Meaning::name;
  }
  labels_.push_back(label);
}

std::uint32_t TextLabels::text_number(std::string_view text) {
  const auto [at, is_new] = number_of_text_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.emplace_back(text);
  return at->second;
}

bool TextLabels::has(Meaning meaning) const {
  return std::ranges::any_of(labels_, [&](const Label& label) { return label.meaning == meaning; });
}

/// "3000000000" (line 7).
std::string TextLabels::example(std::size_t at, const PlaceOf& place_of) const {
  return shown(text_of(at)) + " (" + place_of(at) + ")";
}

LabelTable TextLabels::numbered(const PlaceOf& place_of) const {
  if (wanted_ == LabelKind::target) return targets();
  if (has(Meaning::name)) return numbered_names(place_of);
  const bool has_fractions = std::ranges::any_of(
      labels_, [](const Label& label) { return label.meaning == Meaning::number && !is_whole(label.number); });
  if (has_fractions && wanted_ != LabelKind::class_index) return targets();
  return numbered_classes(place_of);
}

void TextLabels::refuse_thousands(const PlaceOf& place_of) const {
  std::optional<std::size_t> first;
  for (std::size_t at = 0; at < labels_.size(); ++at) {
    if (labels_[at].meaning != Meaning::name) continue;
    if (!has_thousands_separators(text_of(at))) return;
    if (!first) first = at;
  }
  throw FormatError("the label " + example(first.value(), place_of) +
                    " is a number with a thousands separator; remove the separators, or name all classes with "
                    "`classes`");
}

LabelTable TextLabels::numbered_names(const PlaceOf& place_of) const {
  if (given_names_.empty()) refuse_thousands(place_of);
  std::map<std::string_view, std::int32_t> places;
  for (std::size_t i = 0; i < given_names_.size(); ++i) places.emplace(given_names_[i], static_cast<std::int32_t>(i));
  std::optional<std::size_t> first_number, first_name;
  std::set<std::string_view> found;
  for (std::size_t at = 0; at < labels_.size(); ++at) {
    const Label& label = labels_[at];
    const bool is_given = places.contains(text_of(at));
    if (label.meaning == Meaning::number && !is_given && label.number != kNoClass && !first_number) first_number = at;
    if (label.meaning == Meaning::name && !first_name) first_name = at;
    if (label.meaning == Meaning::name || label.meaning == Meaning::missing_number) found.insert(text_of(at));
  }
  if (first_number && first_name) {
    throw FormatError("the labels are both numbers and names, such as " + example(*first_number, place_of) + " and " +
                      example(*first_name, place_of) +
                      "; use one of them for all samples, or name all classes with `classes`");
  }
  LabelTable table = {{LabelKind::class_index, 1}, std::vector<double>(labels_.size()), given_names_, {}};
  if (given_names_.empty()) {
    std::int32_t next = 0;
    for (const std::string_view name : found) {
      if (text_problem(name)) continue;
      places.emplace(name, next++);
      table.class_names.emplace_back(name);
    }
  }
  for (std::size_t at = 0; at < labels_.size(); ++at) {
    const auto place = places.find(text_of(at));
    if (place != places.end()) {
      table.numbers[at] = place->second;
    } else {
      table.unlabeled.push_back({at, *name_problem(at)});
    }
  }
  return table;
}

/// Why a label is not a class name; a label that is among the class names has no problem.
std::optional<std::string> TextLabels::name_problem(std::size_t at) const {
  const Meaning meaning = labels_[at].meaning;
  if (meaning == Meaning::missing || meaning == Meaning::number) return missing_reason(text_of(at));
  if (const auto problem = text_problem(text_of(at))) return "its label is " + *problem;
  return "its label " + shown(text_of(at)) + " is not among the given class names";
}

LabelTable TextLabels::numbered_classes(const PlaceOf& place_of) const {
  LabelTable table = {{LabelKind::class_index, 1}, std::vector<double>(labels_.size()), given_names_, {}};
  for (std::size_t at = 0; at < labels_.size(); ++at) {
    const Label& label = labels_[at];
    if (label.meaning != Meaning::number || label.number == kNoClass) {
      table.unlabeled.push_back({at, missing_reason(text_of(at))});
      continue;
    }
    if (!is_class_number(label.number)) {
      throw FormatError("the label " + example(at, place_of) +
                        " is not a class number from 0 to 2147483647; correct it, or read all labels as targets with "
                        "`label_kind=target`");
    }
    if (!given_names_.empty() && label.number >= static_cast<double>(given_names_.size())) {
      throw FormatError("the label " + example(at, place_of) + " is beyond the " + std::to_string(given_names_.size()) +
                        " given class names; add its name to them");
    }
    table.numbers[at] = label.number;
  }
  return table;
}

LabelTable TextLabels::targets() const {
  if (!given_names_.empty()) throw FormatError("the labels are targets, which have no classes; omit `classes`");
  LabelTable table = {{LabelKind::target, 1}, std::vector<double>(labels_.size()), {}, {}};
  for (std::size_t at = 0; at < labels_.size(); ++at) {
    table.numbers[at] = labels_[at].number;
    const Meaning meaning = labels_[at].meaning;
    if (meaning == Meaning::name) {
      table.unlabeled.push_back({at, "its label " + shown(text_of(at)) + " is not a number"});
    } else if (meaning != Meaning::number) {
      table.unlabeled.push_back({at, missing_reason(text_of(at))});
    }
  }
  return table;
}

}  // namespace octavo::labels
