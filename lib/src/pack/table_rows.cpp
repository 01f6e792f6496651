#include "pack/table_rows.hpp"

#include <csv.h>

#include <algorithm>
#include <map>
#include <new>
#include <set>

#include <octavo/errors.hpp>

namespace octavo::sources {
namespace {

constexpr std::size_t kMostColumns = 100'000;
// A line lists a path and labels.
constexpr int kDeepestNesting = 4;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

/// A byte order mark says nothing.
std::string_view without_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

/// What the parser's callbacks fill in. Exceptions must not pass through C: the first problem is kept.
struct CsvReading {
  Table table;
  std::vector<Cell> row;
  std::int64_t record = 0;
  std::size_t most_rows = 0;
  std::string problem;

  bool is_done() const { return !problem.empty() || table.rows.size() >= most_rows; }

  void end_row() {
    ++record;
    if (table.columns.empty()) {
      for (const Cell& cell : row) table.columns.push_back(cell.get<std::string>());
    } else if (row.size() != table.columns.size()) {
      problem = "record " + std::to_string(record) + " has " + std::to_string(row.size()) + " fields, the first has " +
                std::to_string(table.columns.size());
    } else {
      table.lines.push_back(record);
      table.rows.push_back(std::move(row));
    }
    row.clear();
  }
};

void take_field(void* text, size_t bytes, void* data) {
  auto& reading = *static_cast<CsvReading*>(data);
  if (reading.is_done()) return;
  if (reading.row.size() >= kMostColumns) {
    reading.problem = "a record has more than " + std::to_string(kMostColumns) + " fields";
    return;
  }
  reading.row.emplace_back(std::string(static_cast<const char*>(text), bytes));
}

void take_row(int, void* data) {
  auto& reading = *static_cast<CsvReading*>(data);
  if (!reading.is_done()) reading.end_row();
}

}  // namespace

std::ptrdiff_t Table::find(std::string_view column) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const std::string& name) { return lower_case(name) == column; });
  return found == columns.end() ? -1 : found - columns.begin();
}

Table read_csv(std::string_view text, char separator, std::size_t most_rows) {
  text = without_mark(text);
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) != 0) throw std::bad_alloc();
  csv_set_delim(&parser, static_cast<unsigned char>(separator));
  CsvReading reading;
  reading.most_rows = most_rows;
  constexpr std::size_t kPiece = 1 << 16;
  std::size_t done = 0;
  while (done < text.size() && !reading.is_done()) {
    const std::size_t piece = std::min(kPiece, text.size() - done);
    const std::size_t parsed = csv_parse(&parser, text.data() + done, piece, &take_field, &take_row, &reading);
    done += parsed;
    if (parsed != piece && reading.problem.empty()) {
      reading.problem =
          "record " + std::to_string(reading.record + 1) + " is no CSV: " + csv_strerror(csv_error(&parser));
    }
  }
  if (!reading.is_done() && csv_fini(&parser, &take_field, &take_row, &reading) != 0) {
    reading.problem = "it ends inside quotes";
  }
  csv_free(&parser);
  if (!reading.problem.empty()) throw FormatError(reading.problem);
  return std::move(reading.table);
}

Table read_json_lines(std::string_view text, std::size_t most_rows) {
  text = without_mark(text);
  Table table;
  std::map<std::string, std::size_t> places;
  for (std::int64_t line = 1; !text.empty() && table.rows.size() < most_rows; ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto depth_limit = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
      if (depth > kDeepestNesting) throw FormatError("it is nested too deep");
      return true;
    };
    const nlohmann::json object = nlohmann::json::parse(one, depth_limit, false);
    if (!object.is_object()) throw FormatError("line " + std::to_string(line) + " is no JSON object");
    std::vector<Cell> row(table.columns.size());
    for (const auto& [key, value] : object.items()) {
      const auto [place, is_new] = places.emplace(key, table.columns.size());
      if (is_new) {
        if (!table.rows.empty()) continue;  // the first line tells what there is
        table.columns.push_back(key);
        row.emplace_back();
      }
      row[place->second] = value;
    }
    table.lines.push_back(line);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace octavo::sources
