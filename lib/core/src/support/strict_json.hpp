// Strict JSON parsing for files: UTF-8, no duplicate keys, limited nesting and number of values.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace octavo {

/// Keeps keys in text order.
using Json = nlohmann::ordered_json;

/// Parses the document in `text`. Throws FormatError (the message does not name the file).
Json parse_strict_json(std::string_view text);

}  // namespace octavo
