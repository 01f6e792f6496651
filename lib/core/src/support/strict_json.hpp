// Strict JSON parsing for files: UTF-8, no duplicate keys, limited nesting and number of values.
#pragma once

#include <cstddef>
#include <string_view>

#include <nlohmann/json.hpp>

namespace octavo {

/// Keeps keys in text order.
using Json = nlohmann::ordered_json;

/// Documents with more values are refused. A list or an object is a value, too. A parsed value takes 16 bytes or more,
/// however short its text is.
inline constexpr std::size_t kMostJsonValues = std::size_t{1} << 24;

/// Parses the document in `text`. Throws FormatError (the message does not name the file).
Json parse_strict_json(std::string_view text);

}  // namespace octavo
