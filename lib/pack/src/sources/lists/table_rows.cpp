#include "sources/lists/table_rows.hpp"

#include <csv.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <utility>

#include <octavo/errors.hpp>

#include "support/ascii.hpp"

namespace octavo::sources {
namespace {

constexpr std::size_t kMostColumns = 100'000;
constexpr std::size_t kMostLateColumns = 100;
// A line holds a path and labels.
constexpr int kDeepestRow = 4;
// Enough for 100,000 labels.
constexpr std::int64_t kMostLineBytes = std::int64_t{1} << 20;
// Memory of a string in addition to its characters, including allocator overhead.
constexpr std::int64_t kTextBytes = 48;

/// Reads a text piece by piece, without the byte order mark.
class TextPieces {
 public:
  explicit TextPieces(files::ByteStream& stream) : stream_(stream) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    std::array<std::byte, kMark.size()> start{};
    const std::size_t count = stream.read_some_at(0, start);
    if (count == kMark.size() && std::memcmp(start.data(), kMark.data(), count) == 0) offset_ = std::ssize(kMark);
  }
  /// The next piece, valid until the next call; empty at the end.
  std::string_view next() {
    const std::size_t count = stream_.read_some_at(offset_, buffer_);
    offset_ += static_cast<std::int64_t>(count);
    return {reinterpret_cast<const char*>(buffer_.data()), count};
  }

 private:
  files::ByteStream& stream_;
  std::array<std::byte, std::size_t{64} << 10> buffer_{};
  std::int64_t offset_ = 0;
};

/// The memory of a cell, including the text that it points to.
std::int64_t held_by(const Cell& cell) {
  std::int64_t bytes = sizeof cell;
  if (cell.is_string()) bytes += kTextBytes + std::ssize(cell.get_ref<const std::string&>());
  if (!cell.is_structured()) return bytes;
  bytes += kTextBytes;
  for (const Cell& part : cell) bytes += held_by(part);
  if (cell.is_object()) {
    for (const auto& [key, part] : cell.items()) bytes += 2 * kTextBytes + std::ssize(key);
  }
  return bytes;
}

[[noreturn]] void refuse_long_line(std::int64_t number) {
  throw FormatError("line " + std::to_string(number) + " has more than " + std::to_string(kMostLineBytes) + " bytes");
}

/// A table that grows row by row, within its limits.
class TableBuilder {
 public:
  explicit TableBuilder(const TableLimits& limits) : limits_(limits) {}

  bool is_full() const { return table.rows.size() >= limits_.most_rows; }
  void add(std::vector<Cell> row, std::int64_t line) {
    held_bytes_ += sizeof row + sizeof line;
    for (const Cell& cell : row) held_bytes_ += held_by(cell);
    if (held_bytes_ > limits_.most_held_bytes) throw FormatError("it expands beyond the allowed size");
    table.lines.push_back(line);
    table.rows.push_back(std::move(row));
  }

  Table table;

 private:
  const TableLimits& limits_;
  std::int64_t held_bytes_ = 0;
};

/// The state of the parser's callbacks. Exceptions must not pass through C code, so the first problem is stored.
struct CsvReading {
  explicit CsvReading(const TableLimits& limits) : builder(limits) {}

  TableBuilder builder;
  std::vector<Cell> row;
  std::int64_t record = 0;
  std::string problem;

  bool is_done() const { return !problem.empty() || builder.is_full(); }

  void end_row() {
    ++record;
    std::vector<std::string>& columns = builder.table.columns;
    if (columns.empty()) {
      for (const Cell& cell : row) columns.push_back(cell.get<std::string>());
    } else if (row.size() != columns.size()) {
      problem = "record " + std::to_string(record) + " has " + std::to_string(row.size()) + " fields, the first has " +
                std::to_string(columns.size());
    } else {
      try {
        builder.add(std::move(row), record);
      } catch (const FormatError& error) {
        problem = error.what();
      }
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

Table read_csv(files::ByteStream& text, char separator, const TableLimits& limits) {
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) != 0) throw std::bad_alloc();
  const std::unique_ptr<csv_parser, decltype(&csv_free)> guard(&parser, &csv_free);
  csv_set_delim(&parser, static_cast<unsigned char>(separator));
  CsvReading reading(limits);
  TextPieces pieces(text);
  std::int64_t line_bytes = 0;
  for (std::string_view piece; !reading.is_done() && !(piece = pieces.next()).empty();) {
    const std::int64_t record_before = reading.record;
    const std::size_t parsed = csv_parse(&parser, piece.data(), piece.size(), &take_field, &take_row, &reading);
    if (parsed != piece.size() && reading.problem.empty()) {
      reading.problem =
          "record " + std::to_string(reading.record + 1) + " is not valid CSV: " + csv_strerror(csv_error(&parser));
    }
    line_bytes = reading.record == record_before ? line_bytes + std::ssize(piece) : 0;
    if (line_bytes > kMostLineBytes && reading.problem.empty()) refuse_long_line(reading.record + 1);
  }
  if (!reading.is_done() && csv_fini(&parser, &take_field, &take_row, &reading) != 0) {
    reading.problem = "it ends inside quotes";
  }
  if (!reading.problem.empty()) throw FormatError(reading.problem);
  return std::move(reading.builder.table);
}

namespace {

/// Whether brackets outside strings nest deeper than allowed. A parser callback could check this too, but with a
/// callback the parser visits all siblings of each object.
bool nests_too_deep(std::string_view line) {
  int depth = 0;
  bool is_in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (is_in_text && c == '\\') {
      ++i;
    } else if (c == '"') {
      is_in_text = !is_in_text;
    } else if (!is_in_text && (c == '[' || c == '{')) {
      if (++depth > kDeepestRow) return true;
    } else if (!is_in_text && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return false;
}

/// The keys of the first line are the columns; other keys of later lines are ignored.
class JsonLines {
 public:
  explicit JsonLines(const TableLimits& limits) : builder_(limits) {}

  bool is_full() const { return builder_.is_full(); }
  void add(std::string_view line) {
    ++number_;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    if (nests_too_deep(line)) throw FormatError("line " + std::to_string(number_) + " is nested too deep");
    const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object()) throw FormatError("line " + std::to_string(number_) + " is not a JSON object");
    if (builder_.table.rows.empty()) name_columns(object);
    std::vector<Cell> row(builder_.table.columns.size());
    for (const auto& [key, value] : object.items()) {
      if (const auto place = places_.find(key); place != places_.end()) {
        row[place->second] = value;
      } else {
        note_late(key);
      }
    }
    builder_.add(std::move(row), number_);
  }
  Table take() { return std::move(builder_.table); }

 private:
  void name_columns(const nlohmann::json& first) {
    for (const auto& [key, value] : first.items()) {
      places_[key] = builder_.table.columns.size();
      builder_.table.columns.push_back(key);
    }
  }

  void note_late(const std::string& key) {
    auto& late = builder_.table.late_columns;
    if (late.size() < kMostLateColumns && std::find(late.begin(), late.end(), key) == late.end()) late.push_back(key);
  }

  TableBuilder builder_;
  std::map<std::string, std::size_t> places_;
  std::int64_t number_ = 0;
};

}  // namespace

Table read_json_lines(files::ByteStream& text, const TableLimits& limits) {
  JsonLines lines(limits);
  TextPieces pieces(text);
  std::string line;  // the part of the line from earlier pieces
  std::int64_t number = 1;
  for (std::string_view piece; !lines.is_full() && !(piece = pieces.next()).empty();) {
    for (std::size_t end; !lines.is_full() && (end = piece.find('\n')) != std::string_view::npos; ++number) {
      line += piece.substr(0, end);
      piece.remove_prefix(end + 1);
      lines.add(line);
      line.clear();
    }
    line += piece;
    if (std::ssize(line) > kMostLineBytes) refuse_long_line(number);
  }
  if (!lines.is_full()) lines.add(line);
  return lines.take();
}

}  // namespace octavo::sources
