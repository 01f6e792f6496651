// Hashes described structs: a hash that stays when a text or the order of fields in memory changes.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include <octavo/augment.hpp>

#include "support/hash.hpp"

namespace octavo::augment {

/// Adds the 8 bytes of a number, with the least significant one first.
inline void add_value(StreamingHash& hash, std::uint64_t value) {
  std::byte bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i));
  hash.add(bytes);
}
inline void add_value(StreamingHash& hash, std::int64_t value) { add_value(hash, static_cast<std::uint64_t>(value)); }
inline void add_value(StreamingHash& hash, double value) { add_value(hash, std::bit_cast<std::uint64_t>(value)); }
inline void add_value(StreamingHash& hash, bool value) { add_value(hash, std::uint64_t{value}); }
/// A text is its length and its bytes.
inline void add_value(StreamingHash& hash, std::string_view text) {
  add_value(hash, std::uint64_t{text.size()});
  hash.add(std::as_bytes(std::span(text)));
}
inline void add_value(StreamingHash& hash, const Size& size) {
  for (const std::int64_t side : size) add_value(hash, side);
}
inline void add_value(StreamingHash& hash, const Range& range) {
  for (const double end : range) add_value(hash, end);
}
inline void add_value(StreamingHash& hash, const ChannelValues& color) {
  add_value(hash, std::uint64_t{color.size()});
  for (const double value : color) add_value(hash, value);
}
inline void add_value(StreamingHash& hash, const std::optional<Size>& size) {
  add_value(hash, size.has_value());
  if (size) add_value(hash, *size);
}
inline void add_value(StreamingHash& hash, const std::variant<std::int64_t, Size>& size) {
  add_value(hash, std::uint64_t{size.index()});
  std::visit([&](const auto& given) { add_value(hash, given); }, size);
}
template <typename Enum>
requires(!kValueNames<Enum>.empty()) void add_value(StreamingHash& hash, Enum value) {
  add_value(hash, std::string_view(kValueNames<Enum>[static_cast<std::size_t>(value)]));
}

/// Adds the names and values of all parameters.
template <typename Struct>
void add_struct(StreamingHash& hash, const Struct& given) {
  add_value(hash, std::string_view(Struct::description().summary.name));
  for_each_parameter<Struct>([&](const auto& parameter) {
    add_value(hash, std::string_view(parameter.name));
    add_value(hash, given.*parameter.field);
  });
}

}  // namespace octavo::augment
