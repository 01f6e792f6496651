// The metadata of samples: a JSON object with a list of one value for each sample, by column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/strict_json.hpp"

namespace octavo::dataset_file {

/// The columns in `text`, in their order. Throws FormatError (the message does not name the file) if it is not an
/// object of one or more lists of `sample_count` values, with names that are short texts.
Json parse_columns(std::string_view text, std::int64_t sample_count);

/// The names of parsed columns.
std::vector<std::string> column_names(const Json& columns);

/// A value as text, for comparisons: numbers that are whole without a fraction (7.0 as "7"), text without the blanks
/// around it, lists and objects as JSON. Nothing if the value is missing: null or only blanks.
std::optional<std::string> value_text(const Json& value);

}  // namespace octavo::dataset_file
