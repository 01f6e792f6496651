// JSON from files, parsed strictly: UTF-8, no key twice in an object, nesting and number of values bounded.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace octavo {

/// Keeps keys in the order of the text.
using Json = nlohmann::ordered_json;

/// The document in `text`. Throws FormatError with the reason (which names no file).
Json parse_strict_json(std::string_view text);

}  // namespace octavo
