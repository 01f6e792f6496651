#include "sources/lists/table/label_tags.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>
#include <octavo/text.hpp>

#include "labels/text_labels.hpp"
#include "support/text/ascii.hpp"

namespace octavo::sources {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kSeparatorNames = {
    {{"space", ""}, {"comma", ","}, {"semicolon", ";"}, {"bar", "|"}, {"tab", "\t"}}};
/// A label without any of these is one class.
constexpr std::string_view kSeparatingCharacters = "|;, \t\r\n[";
/// In the order in which they are tried.
constexpr std::array<std::string_view, 4> kGuessed = {"bar", "semicolon", "comma", "space"};
/// Names of columns that hold several labels.
constexpr std::array<std::string_view, 9> kPluralNames = {
    "tags", "labels", "classes", "attributes", "attribute_ids", "categories", "genres", "targets", "keywords"};

bool is_in_brackets(std::string_view label) {
  return label.size() > 1 && label.starts_with('[') && label.ends_with(']');
}

/// The text in quotes at the start of `list`, which is then removed from it; nothing if the quotes do not end. A
/// backslash stands before a quote or another backslash, as in Python.
std::optional<std::string> take_quoted(std::string_view& list) {
  const char quote = list[0];
  std::string text;
  for (std::size_t at = 1; at < list.size(); ++at) {
    if (list[at] == quote) {
      list.remove_prefix(at + 1);
      return text;
    }
    if (list[at] == '\\') {
      if (++at == list.size() || std::string_view("\\'\"").find(list[at]) == std::string_view::npos) break;
    }
    text += list[at];
  }
  return std::nullopt;
}

/// Items in quotes, all with commas between or, as NumPy writes them, all with blanks between; nothing if they are not.
std::optional<std::vector<std::string>> quoted_items(std::string_view list) {
  std::vector<std::string> items;
  std::optional<bool> has_commas;
  while (!list.empty()) {
    if (list[0] != '\'' && list[0] != '"') return std::nullopt;
    auto item = take_quoted(list);
    if (!item) return std::nullopt;
    items.push_back(std::move(*item));
    const std::size_t next = std::min(list.find_first_not_of(kBlanks), list.size());
    const bool has_comma = next < list.size() && list[next] == ',';
    const bool is_last = next == list.size();
    if (!is_last && ((next == 0 && !has_comma) || has_commas.value_or(has_comma) != has_comma)) return std::nullopt;
    if (!is_last) has_commas = has_comma;
    list.remove_prefix(next + (has_comma ? 1 : 0));
    list = trimmed(list);
  }
  return items;
}

/// A list of texts in JSON, which has other escapes than Python.
std::optional<std::vector<std::string>> json_items(std::string_view label) {
  const auto list = nlohmann::json::parse(label, nullptr, false);
  if (!list.is_array()) return std::nullopt;
  std::vector<std::string> items;
  for (const auto& item : list) {
    if (!item.is_string()) return std::nullopt;
    items.push_back(item.get<std::string>());
  }
  return items;
}

bool is_class_number(const std::string& text) {
  const auto number = labels::number_in(text);
  return number && *number == std::rint(*number) && *number >= 0.0;
}

/// What the labels have in common if a separator divides them.
struct Division {
  std::vector<std::vector<std::string>> labels;            ///< the parts of each different label
  std::unordered_map<std::string, std::size_t> labels_of;  ///< for each part, the number of labels that have it
  std::string example;                                     ///< the first label with several parts
  bool varies = false;                                     ///< labels have different numbers of parts
  bool repeats = false;                                    ///< a label has a part twice
  bool recurs = false;                                     ///< a part of several is in another label too
  bool are_numbers = true, are_class_numbers = true;       ///< all parts
};

Division divide(const std::set<std::string_view>& different, const TagSeparator& separator) {
  Division division;
  for (const std::string_view label : different) {
    std::vector<std::string> parts = separator.tags_of(label);
    if (parts.size() > 1 && division.example.empty()) division.example = label;
    const std::unordered_set<std::string> once(parts.begin(), parts.end());
    division.repeats = division.repeats || once.size() < parts.size();
    for (const std::string& part : once) {
      ++division.labels_of[part];
      division.are_numbers = division.are_numbers && labels::number_in(part).has_value();
      division.are_class_numbers = division.are_class_numbers && is_class_number(part);
    }
    division.varies = division.varies || (!division.labels.empty() && division.labels[0].size() != parts.size());
    division.labels.push_back(std::move(parts));
  }
  division.recurs = std::ranges::any_of(division.labels, [&](const std::vector<std::string>& parts) {
    const auto is_shared = [&](const std::string& part) { return division.labels_of.at(part) > 1; };
    return parts.size() > 1 && std::ranges::any_of(parts, is_shared);
  });
  return division;
}

TagGuess::Kind kind_of(const Division& division, std::string_view separator, std::string_view column) {
  using Kind = TagGuess::Kind;
  if (separator == "bar" || separator == "semicolon") return division.recurs ? Kind::tags : Kind::unclear;
  if (division.are_numbers && separator == "comma") return Kind::one_class;  // decimal commas, or thousands
  if (division.are_class_numbers) return division.varies && !division.repeats ? Kind::tags : Kind::unclear;
  if (division.are_numbers) return Kind::numbers;
  if (division.repeats) return Kind::one_class;
  const std::size_t word_count = division.labels_of.size(), label_count = division.labels.size();
  if (division.varies && 2 * word_count <= label_count) return Kind::tags;
  const bool is_plural = std::ranges::find(kPluralNames, lower_case(column)) != kPluralNames.end();
  const bool is_unclear = word_count < label_count || (is_plural && division.recurs);
  return is_unclear ? Kind::unclear : Kind::one_class;
}

}  // namespace

TagSeparator::TagSeparator(std::string_view text) : separator_(text) {
  const auto named = std::ranges::find(kSeparatorNames, text, &decltype(kSeparatorNames)::value_type::first);
  if (named != kSeparatorNames.end()) separator_ = named->second;
  if (trimmed(separator_).empty() && separator_ != "\t") separator_.clear();
}

std::vector<std::string> TagSeparator::divided(std::string_view label) const {
  std::vector<std::string> tags;
  while (!label.empty()) {
    const std::size_t end = separator_.empty() ? label.find_first_of(kBlanks) : label.find(separator_);
    if (const std::string_view tag = trimmed(label.substr(0, end)); !tag.empty()) tags.emplace_back(tag);
    if (end == std::string_view::npos) break;
    label.remove_prefix(end + std::max<std::size_t>(1, separator_.size()));
  }
  return tags;
}

/// Items without quotes. Between numbers, NumPy writes blanks; other text with blanks could be one name or several.
std::optional<std::vector<std::string>> TagSeparator::bare_items(std::string_view list) const {
  if (list.find_first_of("'\"[]") != std::string_view::npos) return std::nullopt;
  const bool has_commas = list.find(',') != std::string_view::npos;
  if (!has_commas) {
    std::vector<std::string> items = TagSeparator("space").divided(list);
    if (std::ranges::all_of(items, [](const std::string& item) { return labels::number_in(item).has_value(); })) {
      return items;
    }
  }
  if (!separator_.empty() && separator_ != ",") return divided(list);
  if (!has_commas && !separator_.empty() && list.find_first_of(kBlanks) != std::string_view::npos) return std::nullopt;
  return has_commas ? TagSeparator("comma").divided(list) : divided(list);
}

std::optional<std::vector<std::string>> TagSeparator::tags_in(std::string_view label) const {
  label = trimmed(label);
  if (!is_in_brackets(label)) return divided(label);
  const std::string_view list = trimmed(label.substr(1, label.size() - 2));
  auto items = list.starts_with('"') ? json_items(label) : std::nullopt;
  if (!items) items = quoted_items(list);
  if (!items) return bare_items(list);
  for (std::string& item : *items) item = std::string(trimmed(item));
  std::erase_if(*items, [](const std::string& item) { return item.empty(); });
  return items;
}

std::vector<std::string> TagSeparator::tags_of(std::string_view label) const {
  return tags_in(label).value_or(std::vector<std::string>{std::string(trimmed(label))});
}

bool TagSeparator::occurs_in(std::string_view label) const {
  label = separator_ == "\t" ? label : trimmed(label);
  if (is_in_brackets(label)) return true;
  return (separator_.empty() ? label.find_first_of(kBlanks) : label.find(separator_)) != std::string_view::npos;
}

std::string TagSeparator::option() const {
  const auto named = std::ranges::find(kSeparatorNames, separator_, &decltype(kSeparatorNames)::value_type::second);
  return named == kSeparatorNames.end() ? separator_ : std::string(named->first);
}

std::string TagSeparator::describe() const {
  const std::string name = option();
  return name == separator_ ? "\"" + printable(name) + "\"" : name + "s";
}

TagGuess guess_tags(const std::vector<std::string>& labels, const std::vector<std::string>& class_names,
                    std::string_view column) {
  using Kind = TagGuess::Kind;
  const auto may_be_divided = [](std::string_view label) {
    return trimmed(label).find_first_of(kSeparatingCharacters) != std::string_view::npos;
  };
  if (std::ranges::none_of(labels, may_be_divided)) return {};
  std::set<std::string_view> different;
  for (const std::string& label : labels) {
    if (const std::string_view text = trimmed(label); !text.empty()) different.insert(text);
  }
  if (std::ranges::all_of(different, &is_in_brackets)) {
    return {Kind::tags, TagSeparator("comma"), std::string(*different.begin())};
  }
  const std::unordered_set<std::string_view> given(class_names.begin(), class_names.end());
  const auto is_given = [&](std::string_view name) { return given.contains(name); };
  if (!given.empty() && std::ranges::all_of(different, is_given)) return {};
  for (const std::string_view name : kGuessed) {
    const TagSeparator separator(name);
    const Division division = divide(different, separator);
    if (division.example.empty()) continue;  // no label has the separator
    const bool all_given = !given.empty() && std::ranges::all_of(division.labels_of, [&](const auto& part) {
      return is_given(part.first);
    });
    const bool may_be_tags = given.empty() || division.are_numbers;
    const Kind kind = all_given ? Kind::tags : may_be_tags ? kind_of(division, name, column) : Kind::one_class;
    return {kind, separator, division.example, division.varies && division.recurs};
  }
  return {};
}

}  // namespace octavo::sources
