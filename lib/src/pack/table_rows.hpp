// A list as rows of named cells, whatever its format: CSV, TSV or JSON lines.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace octavo::sources {

/// A cell: a text (of CSV, whatever it says), or what JSON has.
using Cell = nlohmann::json;

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  ///< as many cells as columns; null where a JSON line has no such key
  std::vector<std::int64_t> lines;      ///< of each row, its number among the lines or records of the file, from 1

  /// The column of that name in any case, or -1.
  std::ptrdiff_t find(std::string_view column) const;
};

/// Reads a table. `most_rows` ends it early. Throws FormatError with the reason only.
Table read_csv(std::string_view text, char separator, std::size_t most_rows);
Table read_json_lines(std::string_view text, std::size_t most_rows);

}  // namespace octavo::sources
