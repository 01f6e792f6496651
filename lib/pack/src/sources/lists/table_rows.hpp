// A list as rows of named cells, whatever its format: CSV, TSV or JSON lines.
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

/// A cell: a text (of CSV, whatever it says), or what JSON has.
using Cell = nlohmann::json;

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;    ///< as many cells as columns; null where a JSON line has no such key
  std::vector<std::string> late_columns;  ///< keys of JSON lines that the first line lacks, the first 100; left out
  std::vector<std::int64_t> lines;        ///< of each row, its number among the lines or records of the file, from 1

  /// The column of that name in any case, or -1.
  std::ptrdiff_t find(std::string_view column) const;
};

/// How much of a list is read, and held.
struct TableLimits {
  std::size_t most_rows = std::numeric_limits<std::size_t>::max();  ///< ends it early
  std::int64_t most_held_bytes = 0;                                 ///< what its cells may take; more is refused
};

/// Reads a table, line by line: the text is never held whole. Throws FormatError with the reason only.
Table read_csv(files::ByteStream& text, char separator, const TableLimits& limits);
Table read_json_lines(files::ByteStream& text, const TableLimits& limits);

}  // namespace octavo::sources
