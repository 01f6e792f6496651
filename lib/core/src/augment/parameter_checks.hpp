// Checks the values of described structs against the limits of their parameters.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <octavo/augment.hpp>

#include "augment/parameter_text.hpp"

namespace octavo::augment {

/// Why a value does not meet the limits; empty if it does.
template <typename Value>
std::string fault_of(Value number, const Limits& limits) requires(std::is_arithmetic_v<Value>) {
  return limits.contain(static_cast<double>(number)) ? "" : "expected " + limits_text(limits);
}
inline std::string fault_of(double number, const Limits& limits) {
  if (!std::isfinite(static_cast<float>(number))) return "expected a finite number";
  return limits.contain(number) ? "" : "expected " + limits_text(limits);
}
inline std::string fault_of(const Size& size, const Limits& limits) {
  for (const std::int64_t side : size) {
    if (!limits.contain(static_cast<double>(side))) return "expected sides of " + limits_text(limits) + " pixels";
  }
  return "";
}
inline std::string expected_numbers(const Limits& limits) {
  return std::string(limits.without_least || limits.without_most ? "expected numbers " : "expected numbers of ") +
         limits_text(limits);
}
inline std::string fault_of(const Range& range, const Limits& limits) {
  for (const double end : range) {
    // Kernels read some of them as float32.
    if (!std::isfinite(static_cast<float>(end))) return "expected finite numbers";
  }
  if (range[0] > range[1]) return "expected two numbers in ascending order";
  for (const double end : range) {
    if (!limits.contain(end)) return expected_numbers(limits);
  }
  return "";
}
inline std::string fault_of(const ChannelValues& color, const Limits& limits) {
  for (const double value : color) {
    if (!std::isfinite(static_cast<float>(value))) return "expected finite numbers";
    if (!limits.contain(value)) return expected_numbers(limits);
  }
  return "";
}
inline std::string fault_of(const std::optional<Size>& size, const Limits& limits) {
  return size ? fault_of(*size, limits) : "";
}
inline std::string fault_of(const std::variant<std::int64_t, Size>& size, const Limits& limits) {
  return std::visit([&](const auto& given) { return fault_of(given, limits); }, size);
}
template <typename Enum>
requires(!kValueNames<Enum>.empty()) std::string fault_of(Enum, const Limits&) { return ""; }

/// Why a described struct does not meet the limits of its parameters: "probability is 1.5; expected 0 to 1"; empty if
/// it does.
template <typename Struct>
std::string struct_fault(const Struct& given) {
  std::string fault;
  for_each_parameter<Struct>([&](const auto& parameter) {
    if (!fault.empty()) return;
    const std::string why = fault_of(given.*parameter.field, parameter.limits);
    if (why.empty()) return;
    fault = std::string(parameter.name) + " is " + value_text(given.*parameter.field) + "; " + why;
  });
  return fault;
}

}  // namespace octavo::augment
