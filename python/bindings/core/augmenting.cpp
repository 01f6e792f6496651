// The operations of augmentations, from their descriptions.
#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <octavo/augment.hpp>

#include "core/module.hpp"

namespace octavo::python {

namespace nb = nanobind;

using namespace nb::literals;

namespace {

using augment::ChannelValues;
using augment::Range;
using augment::Size;

/// Throws ValueError. The caller in Python adds the names and the value.
template <typename Enum>
Enum value_named(const std::string& name) {
  std::string known;
  for (std::size_t i = 0; i < kValueNames<Enum>.size(); ++i) {
    if (name == kValueNames<Enum>[i]) return static_cast<Enum>(i);
    known += (i == 0 ? "'" : ", '") + std::string(kValueNames<Enum>[i]) + "'";
  }
  throw nb::value_error(("it must be one of " + known).c_str());
}

/// Throws ValueError, as above.
ChannelValues color_in(const nb::object& given) {
  double value = 0.0;
  ChannelValues values;
  if (nb::try_cast(given, value)) return {value};
  if (nb::try_cast(given, values) && !values.empty()) return values;
  throw nb::value_error("it must be one number, or one per channel, because it fills with one color");
}

/// What a field of this type accepts in Python, and how Python writes that down.
template <typename Value>
struct PythonType;
template <>
struct PythonType<double> {
  using Given = double;
  static constexpr const char* annotation(OneNumber) { return "float"; }
  static double read(double given, OneNumber) { return given; }
};
template <>
struct PythonType<std::int64_t> {
  using Given = std::int64_t;
  static constexpr const char* annotation(OneNumber) { return "int"; }
  static std::int64_t read(std::int64_t given, OneNumber) { return given; }
};
template <>
struct PythonType<bool> {
  using Given = bool;
  static constexpr const char* annotation(OneNumber) { return "bool"; }
  static bool read(bool given, OneNumber) { return given; }
};
template <>
struct PythonType<Size> {
  using Given = std::variant<std::int64_t, Size>;
  static constexpr const char* annotation(OneNumber) { return "int | tuple[int, int]"; }
  static Size read(const Given& given, OneNumber) {
    const auto* const side = std::get_if<std::int64_t>(&given);
    return side != nullptr ? Size{*side, *side} : std::get<Size>(given);
  }
};
template <>
struct PythonType<std::optional<Size>> {
  using Given = std::optional<PythonType<Size>::Given>;
  static constexpr const char* annotation(OneNumber) { return "int | tuple[int, int] | None"; }
  static std::optional<Size> read(const Given& given, OneNumber meaning) {
    return given ? std::optional(PythonType<Size>::read(*given, meaning)) : std::nullopt;
  }
};
template <>
struct PythonType<std::variant<std::int64_t, Size>> {
  using Given = std::variant<std::int64_t, Size>;
  static constexpr const char* annotation(OneNumber) { return "int | tuple[int, int]"; }
  static Given read(const Given& given, OneNumber) { return given; }
};
template <>
struct PythonType<Range> {
  using Given = std::variant<double, Range>;
  static constexpr const char* annotation(OneNumber meaning) {
    return meaning == OneNumber::refused ? "tuple[float, float]" : "Range";
  }
  static Range read(const Given& given, OneNumber meaning) {
    const auto* const number = std::get_if<double>(&given);
    if (number == nullptr) return std::get<Range>(given);
    const auto meant = range_of(*number, meaning);
    if (!meant) throw nb::type_error("expected two numbers");
    return *meant;
  }
};
template <>
struct PythonType<ChannelValues> {
  using Given = nb::object;
  static constexpr const char* annotation(OneNumber) { return "float | Sequence[float]"; }
  static ChannelValues read(const nb::object& given, OneNumber) { return color_in(given); }
};
template <typename Enum>
requires std::is_enum_v<Enum>
struct PythonType<Enum> {
  using Given = std::string;
  static constexpr const char* annotation(OneNumber) { return kTypeName<Enum>; }
  static Enum read(const std::string& given, OneNumber) { return value_named<Enum>(given); }
};

/// A default as Python shows it.
template <typename Value>
nb::object shown(const Value& value) {
  if constexpr (std::is_enum_v<Value>)
    return nb::cast(kValueNames<Value>[static_cast<std::size_t>(value)]);
  else if constexpr (std::is_same_v<Value, Size> || std::is_same_v<Value, Range>)
    return nb::make_tuple(value[0], value[1]);
  else if constexpr (std::is_same_v<Value, ChannelValues>)
    return nb::cast(value.at(0));
  else if constexpr (std::is_same_v<Value, std::optional<Size>>)
    return value ? shown(*value) : nb::object(nb::none());
  else
    return nb::cast(value);
}

template <typename Struct>
void bind_struct(nb::module_& module) {
  auto bound = nb::class_<Struct>(module, Struct::description().summary.name).def(nb::init<>());
  for_each_parameter<Struct>([&]<typename Value>(const Parameter<Struct, Value>& parameter) {
    using Type = PythonType<Value>;
    bound.def_prop_rw(
        parameter.name, [field = parameter.field](const Struct& self) { return shown(self.*field); },
        [field = parameter.field, meaning = parameter.one_number](Struct& self, const typename Type::Given& given) {
          self.*field = Type::read(given, meaning);
        },
        nb::for_setter("given"_a.none()));
  });
}

template <typename Struct>
nb::dict described_struct() {
  const Summary summary = Struct::description().summary;
  nb::dict table;
  table["name"] = summary.name;
  table["summary"] = summary.sentence;
  table["details"] = summary.details;
  nb::list parameters;
  for_each_parameter<Struct>([&]<typename Value>(const Parameter<Struct, Value>& parameter) {
    nb::dict entry;
    entry["name"] = parameter.name;
    entry["type"] = PythonType<Value>::annotation(parameter.one_number);
    entry["help"] = parameter.help;
    entry["one_number"] = static_cast<int>(parameter.one_number);
    entry["limits"] = nb::make_tuple(parameter.limits.least, parameter.limits.most, parameter.limits.without_least,
                                     parameter.limits.without_most);
    if constexpr (std::is_enum_v<Value>)
      entry["choices"] = std::vector<std::string>(kValueNames<Value>.begin(), kValueNames<Value>.end());
    if (!parameter.is_required) entry["default"] = shown(Struct{}.*parameter.field);
    parameters.append(entry);
  });
  table["parameters"] = parameters;
  return table;
}

/// Calls visit.operator()<Struct>() for each operation, then for the mixing.
template <typename Visit>
void for_each_struct(const Visit& visit) {
  const auto all = [&]<typename... Each>(const std::variant<Each...>*) { (visit.template operator()<Each>(), ...); };
  all(static_cast<const augment::Operation*>(nullptr));
  visit.template operator()<augment::Mix>();
}

}  // namespace

void add_augmenting(nb::module_& module) {
  for_each_struct([&]<typename Struct>() { bind_struct<Struct>(module); });
  module.def(
      "describe_augmentation_types",
      [] {
        nb::list table;
        for_each_struct([&]<typename Struct>() { table.append(described_struct<Struct>()); });
        return table;
      },
      "The operations of augmentations and their parameters; the last one is the mixing.");
}

}  // namespace octavo::python
