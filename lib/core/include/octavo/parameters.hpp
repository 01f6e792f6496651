// Describes the parameters of a struct once: names, help and limits. Checks, texts, parsers and bindings read it.
//
// A described struct has a static function description() that returns described(). Its types and defaults are those of
// its fields.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <tuple>

namespace octavo {

/// The numbers that are allowed.
struct Limits {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool without_least = false;  ///< `least` itself is not allowed
  bool without_most = false;   ///< `most` itself is not allowed

  /// Whether `number` is allowed; NaN is not.
  constexpr bool contain(double number) const {
    return (without_least ? number > least : number >= least) && (without_most ? number < most : number <= most);
  }
};

/// What one number means where a range is expected.
enum class OneNumber {
  refused,      ///< a range has two numbers
  itself,       ///< x: from x to x
  around_zero,  ///< x: from -x to x
  around_one,   ///< x: from 1 - x, at least 0, to 1 + x
};

/// The range that `number` means; nothing if one number is refused.
constexpr std::optional<std::array<double, 2>> range_of(double number, OneNumber meaning) {
  switch (meaning) {
    case OneNumber::refused:
      break;
    case OneNumber::itself:
      return std::array{number, number};
    case OneNumber::around_zero:
      return std::array{-number, number};
    case OneNumber::around_one:
      return std::array{number < 1.0 ? 1.0 - number : 0.0, 1.0 + number};
  }
  return std::nullopt;
}

/// A parameter: a field of `Struct`.
template <typename Struct, typename Value>
struct Parameter {
  const char* name;
  Value Struct::*field;
  const char* help;                           ///< a sentence without its limits
  Limits limits = {};                         ///< of numbers, and of both ends of a range
  OneNumber one_number = OneNumber::refused;  ///< for ranges
  bool is_required = false;                   ///< the default of the field is not a valid value
};

/// What describes a struct besides its parameters.
struct Summary {
  const char* name;              ///< as in Python
  const char* text_name;         ///< of the text form, as on the command line; null: there is none
  const char* short_parameters;  ///< those that the text form gives without their names, in order: "count,magnitude";
                                 ///< a single one becomes the argument of the struct's of_number(), if it has that
  const char* sentence;          ///< what it does
  const char* details = "";      ///< more sentences
};

/// The description of a struct. The order of its parameters is that of Python.
template <typename... Parameters>
struct Description {
  Summary summary;
  std::tuple<Parameters...> parameters;
};

template <typename Struct, typename Value>
constexpr Parameter<Struct, Value> parameter(const char* name, Value Struct::*field, const char* help,
                                             Limits limits = {}, OneNumber one_number = OneNumber::refused) {
  return {name, field, help, limits, one_number};
}
/// A parameter without a default.
template <typename Struct, typename Value>
constexpr Parameter<Struct, Value> required_parameter(const char* name, Value Struct::*field, const char* help,
                                                      Limits limits = {}) {
  return {name, field, help, limits, OneNumber::refused, true};
}

template <typename... Parameters>
constexpr Description<Parameters...> described(const Summary& summary, Parameters... parameters) {
  return {summary, {parameters...}};
}

/// Calls visit(parameter) for each parameter of a described struct, in order.
template <typename Struct, typename Visit>
constexpr void for_each_parameter(const Visit& visit) {
  constexpr auto kDescription = Struct::description();
  std::apply([&](const auto&... parameters) { (visit(parameters), ...); }, kDescription.parameters);
}

/// The names of the values of an enumeration, in the order of its values, which begin at 0. Specialized next to it.
template <typename Enum>
inline constexpr std::array<const char*, 0> kValueNames = {};
/// The name of an enumeration in Python. Specialized next to it.
template <typename Enum>
inline constexpr const char* kTypeName = nullptr;

}  // namespace octavo
