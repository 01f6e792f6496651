// Operations written as text, as on the command line.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <octavo/augment.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

namespace octavo {
namespace {

using namespace augment;

std::vector<std::string> split_at(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + separator.size()) {
    parts.emplace_back(text.substr(begin, end - begin));
  }
  parts.emplace_back(text.substr(begin));
  return parts;
}

/// Why a text is not a value; the caller adds the operation.
struct NotAValue {
  std::string why;
};

double number_in(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw NotAValue{"\"" + text + "\" is not a number"};
  }
  return value;
}

// read(text, parameter, value): the value of a parameter. Throws NotAValue.

void read(const std::string& text, const auto&, double& value) { value = number_in(text); }
void read(const std::string& text, const auto&, std::int64_t& value) {
  const double number = number_in(text);
  if (number != std::floor(number) || std::abs(number) > 1e9) {
    throw NotAValue{"\"" + text + "\" is not a whole number"};
  }
  value = static_cast<std::int64_t>(number);
}
void read(const std::string& text, const auto&, bool& value) {
  if (text != "true" && text != "false") throw NotAValue{"\"" + text + "\" is neither true nor false"};
  value = text == "true";
}
void read(const std::string& text, const auto& parameter, Size& size) {
  const std::vector<std::string> sides = split_at(text, "x");
  if (sides.size() > 2) throw NotAValue{"a size is N or HxW"};
  read(sides.front(), parameter, size[0]);
  read(sides.back(), parameter, size[1]);
}
void read(const std::string& text, const auto& parameter, std::optional<Size>& size) {
  read(text, parameter, size.emplace());
}
void read(const std::string& text, const auto& parameter, std::variant<std::int64_t, Size>& size) {
  if (text.find('x') == std::string::npos)
    read(text, parameter, size.template emplace<std::int64_t>());
  else
    read(text, parameter, size.template emplace<Size>());
}
void read(const std::string& text, const auto& parameter, Range& range) {
  const std::vector<std::string> ends = split_at(text, "..");
  if (ends.size() == 2) {
    range = {number_in(ends[0]), number_in(ends[1])};
    return;
  }
  const auto meant = range_of(number_in(text), parameter.one_number);
  if (!meant) throw NotAValue{std::string(parameter.name) + " has two numbers, LOW..HIGH"};
  range = *meant;
}
void read(const std::string& text, const auto&, ChannelValues& color) {
  color.clear();
  for (const std::string& value : split_at(text, "/")) color.push_back(number_in(value));
}
template <typename Enum>
requires(!kValueNames<Enum>.empty()) void read(const std::string& text, const auto& parameter, Enum& value) {
  const auto& names = kValueNames<Enum>;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text != names[i]) continue;
    value = static_cast<Enum>(i);
    return;
  }
  throw NotAValue{std::string(parameter.name) + " is \"" + text + "\"; expected " +
                  either_of({names.begin(), names.end()})};
}

template <typename Operation>
void read_parameter(Operation& operation, std::string_view name, const std::string& text) {
  bool is_known = false;
  std::vector<std::string> known;
  for_each_parameter<Operation>([&](const auto& parameter) {
    known.emplace_back(parameter.name);
    if (name != parameter.name) return;
    is_known = true;
    read(text, parameter, operation.*parameter.field);
  });
  if (!is_known) {
    throw NotAValue{"it has no parameter \"" + std::string(name) + "\"" +
                    (known.empty() ? "" : "; expected " + either_of(known))};
  }
}

template <typename Operation>
constexpr bool kHasNumber = requires {
  Operation::of_number();
};

/// "[:COUNT[:MAGNITUDE]]", or ":SIZE" if it is required.
template <typename Operation>
std::string short_form() {
  const std::string names = Operation::description().summary.short_parameters;
  if (names.empty()) return "";
  std::string text, end;
  for (const std::string& name : split_at(names, ",")) {
    bool is_required = false;
    for_each_parameter<Operation>(
        [&](const auto& parameter) { is_required = is_required || (name == parameter.name && parameter.is_required); });
    text += is_required ? ":" : "[:";
    for (const char letter : name)
      text += static_cast<char>(letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter);
    end += is_required ? "" : "]";
  }
  return text + end;
}

/// Reads the words after the name of an operation.
template <typename Operation>
Operation read_operation(const std::vector<std::string>& words) {
  constexpr Summary kSummary = Operation::description().summary;
  Operation operation{};
  if constexpr (kHasNumber<Operation>) operation = Operation::of_number();
  const std::vector<std::string> names = split_at(kSummary.short_parameters, ",");
  std::vector<std::string> given;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (const std::size_t at = word.find('='); at != std::string::npos) {
      given.push_back(word.substr(0, at));
      read_parameter(operation, given.back(), word.substr(at + 1));
    } else if (i > names.size() || names[i - 1].empty()) {
      throw NotAValue{std::string("expected ") + kSummary.text_name + short_form<Operation>()};
    } else {
      given.push_back(names[i - 1]);
      if constexpr (kHasNumber<Operation>)
        operation = Operation::of_number(number_in(word));
      else
        read_parameter(operation, names[i - 1], word);
    }
  }
  for_each_parameter<Operation>([&](const auto& parameter) {
    if (!parameter.is_required || std::ranges::find(given, parameter.name) != given.end()) return;
    throw NotAValue{std::string("give its ") + parameter.name + ", such as " + kSummary.text_name + ":224"};
  });
  return operation;
}

/// Calls visit.operator()<Operation>() for each operation.
template <typename Visit>
void for_each_operation(const Visit& visit) {
  const auto all = [&]<typename... Each>(const std::variant<Each...>*) { (visit.template operator()<Each>(), ...); };
  all(static_cast<const Operation*>(nullptr));
}

Operation parse_operation(const std::string& text) {
  const std::vector<std::string> words = split_at(text, ":");
  std::optional<Operation> found;
  std::vector<std::string> known;
  try {
    for_each_operation([&]<typename Each>() {
      known.emplace_back(Each::description().summary.text_name);
      if (words[0] == known.back()) found = read_operation<Each>(words);
    });
    if (!found) throw NotAValue{"it is unknown; expected " + either_of(known)};
  } catch (const NotAValue& fault) {
    throw InvalidArgument("parse the operation \"" + text + "\": " + fault.why);
  }
  return *found;
}

}  // namespace

augment::Operations augment::parse(const std::string& text) {
  Operations operations;
  if (text.empty()) return operations;
  for (const std::string& part : split_at(text, ",")) {
    operations.push_back(parse_operation(std::string(trimmed(part))));
  }
  return operations;
}

std::string augment::spellings() {
  std::string text;
  for_each_operation([&]<typename Each>() {
    text += (text.empty() ? "" : ", ") + std::string(Each::description().summary.text_name) + short_form<Each>();
  });
  return text;
}

}  // namespace octavo
