// Values of parameters as text, in the form of Python.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <octavo/augment.hpp>

namespace octavo::augment {

/// The shortest text that means the same number: "0.5", "3".
inline std::string value_text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}
inline std::string value_text(std::int64_t value) { return std::to_string(value); }
inline std::string value_text(bool value) { return value ? "True" : "False"; }
inline std::string value_text(const Size& size) { return "(" + value_text(size[0]) + ", " + value_text(size[1]) + ")"; }
inline std::string value_text(const Range& range) {
  return "(" + value_text(range[0]) + ", " + value_text(range[1]) + ")";
}
inline std::string value_text(const ChannelValues& color) {
  if (color.size() == 1) return value_text(color[0]);
  std::string text;
  for (const double value : color) text += (text.empty() ? "" : ", ") + value_text(value);
  return "(" + text + ")";
}
inline std::string value_text(const std::optional<Size>& size) { return size ? value_text(*size) : "None"; }
inline std::string value_text(const std::variant<std::int64_t, Size>& size) {
  return std::visit([](const auto& given) { return value_text(given); }, size);
}
template <typename Enum>
requires(!kValueNames<Enum>.empty()) std::string value_text(Enum value) {
  return std::string("'") + kValueNames<Enum>[static_cast<std::size_t>(value)] + "'";
}

/// "0 to 1", "above 0 and at most 1", "at least 0 and below 8"; empty without limits.
inline std::string limits_text(const Limits& limits) {
  if (limits.least == -Limits{}.most && limits.most == Limits{}.most) return "";
  const std::string least = value_text(limits.least), most = value_text(limits.most);
  if (!limits.without_least && !limits.without_most) return least + " to " + most;
  return (limits.without_least ? "above " : "at least ") + least +
         (limits.without_most ? " and below " : " and at most ") + most;
}

/// A described struct as in Python, with the parameters that differ from their defaults: "RandomCrop(padding=2)".
template <typename Struct>
std::string struct_text(const Struct& given) {
  const Struct defaults{};
  std::string text;
  for_each_parameter<Struct>([&](const auto& parameter) {
    if (!parameter.is_required && given.*parameter.field == defaults.*parameter.field) return;
    text += (text.empty() ? "" : ", ") + std::string(parameter.name) + "=" + value_text(given.*parameter.field);
  });
  return Struct::description().summary.name + ("(" + text) + ")";
}

}  // namespace octavo::augment
