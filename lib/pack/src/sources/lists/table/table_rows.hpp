// Reading CSV, TSV or JSON as rows of named cells.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "files/byte_stream.hpp"

namespace octavo::sources {

/// A cell: always text in CSV, any JSON value in JSON.
using Cell = nlohmann::json;

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;    ///< one cell per column; null if a JSON object lacks the key
  std::vector<std::string> late_columns;  ///< ignored: keys of JSON objects that the first lacks, at most 100
  std::vector<std::int64_t> lines;        ///< for each row, the line of the file where it begins, from 1

  /// The index of the column with that name, ignoring case or, if there is none, also '_', '-' and blanks, as in
  /// "MaskPath" for "mask_path"; or -1.
  std::ptrdiff_t find(std::string_view column) const;
};

/// Limits on how much of a list is read and held in memory.
struct TableLimits {
  std::size_t most_rows = std::numeric_limits<std::size_t>::max();  ///< reading stops there
  std::int64_t most_held_bytes = 0;                                 ///< memory of the cells; more is an error
  bool keeps_rows = true;                                           ///< false: rows are only checked
};

/// Reads a table in UTF-8 or UTF-16 line by line; never holds the whole text. Throws FormatError with the reason only.
Table read_csv(files::ByteStream& text, char separator, const TableLimits& limits);
/// The text is JSON Lines, or one array of objects. NaN and infinities are read as null.
Table read_json(files::ByteStream& text, const TableLimits& limits);

}  // namespace octavo::sources
