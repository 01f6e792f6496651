#include "sources/lists/table/table_rows.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "files/text_pieces.hpp"
#include "sources/lists/table/csv_parser.hpp"
#include "sources/lists/table/line_limit.hpp"
#include "support/text/ascii.hpp"

namespace octavo::sources {
namespace {

constexpr std::size_t kMostLateColumns = 100;
// A line holds a path and labels.
constexpr int kDeepestRow = 4;
// Memory of a string in addition to its characters, including allocator overhead.
constexpr std::int64_t kTextBytes = 48;

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

/// The line of the first unit that is not valid UTF-16. In a text without mark, every other byte of ASCII is zero.
std::int64_t line_of_malformed(files::ByteStream& text) {
  std::array<std::byte, 4096> bytes{};
  bool is_little = false, follows_high = false, follows_return = false;
  std::int64_t offset = 0, line = 1;
  for (std::size_t count; (count = text.read_some_at(offset, bytes)) > 0; offset += static_cast<std::int64_t>(count)) {
    if (offset == 0) is_little = bytes[0] == std::byte{0xFF} || bytes[1] == std::byte{0};
    for (std::size_t at = 0; at + 1 < count; at += 2) {
      const auto high = std::to_integer<unsigned>(bytes[is_little ? at + 1 : at]);
      const auto unit = high << 8 | std::to_integer<unsigned>(bytes[is_little ? at : at + 1]);
      const bool is_low_half = high >= 0xDC && high < 0xE0;
      if (is_low_half != follows_high) return line;
      follows_high = high >= 0xD8 && high < 0xDC;
      if (unit == '\r' || (unit == '\n' && !follows_return)) ++line;
      follows_return = unit == '\r';
    }
  }
  return line;
}

/// The pieces of a text; an error names its line.
class NumberedPieces {
 public:
  explicit NumberedPieces(files::ByteStream& text) : text_(text), pieces_(text) {}

  std::string_view next() {
    try {
      return pieces_.next();
    } catch (const FormatError& error) {
      throw FormatError("line " + std::to_string(line_of_malformed(text_)) + ": " + error.what());
    }
  }

 private:
  files::ByteStream& text_;
  files::TextPieces pieces_;
};

/// A table that grows row by row, within its limits.
class TableBuilder {
 public:
  explicit TableBuilder(const TableLimits& limits) : limits_(limits) {}

  bool is_full() const { return table.rows.size() >= limits_.most_rows; }
  void add(std::vector<Cell> row, std::int64_t line) {
    if (!limits_.keeps_rows) return;
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

/// The first record names the columns; every other one is a row.
class CsvRows {
 public:
  explicit CsvRows(const TableLimits& limits) : builder_(limits) {}

  bool is_full() const { return builder_.is_full(); }
  /// The record begins in the given line.
  void add(std::vector<std::string> fields, std::int64_t line) {
    std::vector<std::string>& columns = builder_.table.columns;
    if (columns.empty()) {
      for (const std::string& field : fields) columns.emplace_back(trimmed(field));
    } else if (fields.size() != columns.size()) {
      throw FormatError("line " + std::to_string(line) + " has " + counted(std::ssize(fields), "field") +
                        ", the first line has " + std::to_string(columns.size()));
    } else {
      builder_.add(std::vector<Cell>(std::move_iterator(fields.begin()), std::move_iterator(fields.end())), line);
    }
  }
  Table take() { return std::move(builder_.table); }

 private:
  TableBuilder builder_;
};

}  // namespace

std::ptrdiff_t Table::find(std::string_view column) const {
  for (const auto form : {&lower_case, &letters_of}) {
    const auto found = std::ranges::find(columns, form(column), form);
    if (found != columns.end()) return found - columns.begin();
  }
  return -1;
}

Table read_csv(files::ByteStream& text, char separator, const TableLimits& limits) {
  CsvRows rows(limits);
  CsvParser parser(separator, [&](std::vector<std::string> fields, std::int64_t line) {
    rows.add(std::move(fields), line);
    return !rows.is_full();
  });
  NumberedPieces pieces(text);
  for (std::string_view piece; !parser.is_done() && !(piece = pieces.next()).empty();) parser.parse(piece);
  parser.finish();
  return rows.take();
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

/// A line with null in place of NaN and infinities outside strings: Python writes them, but JSON has none.
std::string without_nan(std::string_view line) {
  constexpr std::array<std::string_view, 3> kWords = {"NaN", "-Infinity", "Infinity"};
  std::string text;
  bool is_in_text = false;
  while (!line.empty()) {
    const auto word =
        is_in_text ? kWords.end() : std::ranges::find_if(kWords, [&](auto one) { return line.starts_with(one); });
    if (word != kWords.end()) {
      text += "null";
      line.remove_prefix(word->size());
      continue;
    }
    const std::size_t count = is_in_text && line[0] == '\\' ? std::min<std::size_t>(2, line.size()) : 1;
    if (line[0] == '"') is_in_text = !is_in_text;
    text += line.substr(0, count);
    line.remove_prefix(count);
  }
  return text;
}

/// Throws FormatError naming the line and column.
nlohmann::json parse_line(std::string_view line, std::int64_t number) {
  nlohmann::json value = nlohmann::json::parse(line, nullptr, false);
  if (value.is_discarded()) value = nlohmann::json::parse(without_nan(line), nullptr, false);
  if (!value.is_discarded()) return value;
  try {
    return nlohmann::json::parse(line);
  } catch (const nlohmann::json::parse_error& error) {
    // An object in an array may extend over several lines.
    const std::string_view before =
        line.substr(0, std::min(line.size(), error.byte) - std::min<std::size_t>(1, error.byte));
    const std::size_t line_begin = before.rfind('\n') + 1;
    throw FormatError("line " + std::to_string(number + std::ranges::count(before, '\n')) +
                      " is not valid JSON at byte " + std::to_string(error.byte - line_begin));
  }
}

/// The keys of the first object are the columns; other keys of later ones are ignored.
class JsonRows {
 public:
  explicit JsonRows(const TableLimits& limits) : builder_(limits) {}

  bool is_full() const { return builder_.is_full(); }
  /// `text` begins in the given line.
  void add(std::string_view text, std::int64_t line) {
    if (nests_too_deep(text)) throw FormatError("line " + std::to_string(line) + " is nested too deep");
    const nlohmann::json object = parse_line(text, line);
    if (!object.is_object()) throw FormatError("line " + std::to_string(line) + " is not a JSON object");
    if (!std::exchange(is_named_, true)) name_columns(object);
    std::vector<Cell> row(builder_.table.columns.size());
    for (const auto& [key, value] : object.items()) {
      if (const auto place = places_.find(key); place != places_.end()) {
        row[place->second] = value;
      } else {
        note_late(key);
      }
    }
    builder_.add(std::move(row), line);
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
  bool is_named_ = false;
};

constexpr std::string_view kCellBlanks = " \t\r\n";

/// Adds the objects of JSON Lines to rows.
class JsonLines {
 public:
  explicit JsonLines(JsonRows& rows) : rows_(rows) {}

  void parse(std::string_view piece) {
    for (std::size_t end; !rows_.is_full() && (end = piece.find('\n')) != std::string_view::npos;) {
      text_ += piece.substr(0, end);
      piece.remove_prefix(end + 1);
      end_line();
    }
    text_ += piece;
    if (std::ssize(text_) > kMostLineBytes) refuse_long_line(line_);
  }
  void finish() {
    if (!rows_.is_full()) end_line();
  }

 private:
  void end_line() {
    if (text_.find_first_not_of(kCellBlanks) != std::string::npos) rows_.add(text_, line_);
    text_.clear();
    ++line_;
  }

  JsonRows& rows_;
  std::string text_;  ///< of the line, from earlier pieces
  std::int64_t line_ = 1;
};

/// Adds the objects of a JSON array to rows.
class JsonArray {
 public:
  explicit JsonArray(JsonRows& rows) : rows_(rows) {}

  void parse(std::string_view piece) {
    for (const char c : piece) {
      if (rows_.is_full()) return;
      add(c);
      if (c == '\n') ++line_;
    }
  }
  void finish() {
    if (rows_.is_full() || is_ended_) return;
    throw FormatError("line " + std::to_string(line_) + " is not valid JSON: the array does not end");
  }

 private:
  void add(char c) {
    const bool is_blank = kCellBlanks.find(c) != std::string_view::npos;
    if (is_ended_) {
      if (is_blank) return;
      throw FormatError("line " + std::to_string(line_) + " is not valid JSON: text follows the array");
    }
    if (is_in_text_) {
      is_in_text_ = is_escaped_ || c != '"';
      is_escaped_ = !is_escaped_ && c == '\\';
    } else if (c == '"') {
      is_in_text_ = true;
    } else if (c == '[' || c == '{') {
      if (++depth_ == 1) return;  // the array itself
    } else if (c == ']' || c == '}') {
      is_ended_ = --depth_ == 0;
    }
    if (is_ended_ || (depth_ == 1 && c == ',' && !is_in_text_)) {
      end_element();
    } else if (!is_blank || !text_.empty()) {
      if (text_.empty()) first_line_ = line_;
      text_ += c;
      if (std::ssize(text_) > kMostLineBytes) refuse_long_line(first_line_);
    }
  }

  void end_element() {
    const bool is_empty_array = is_ended_ && text_.empty() && element_count_ == 0;
    if (is_empty_array) return;
    rows_.add(text_, text_.empty() ? line_ : first_line_);
    text_.clear();
    ++element_count_;
  }

  JsonRows& rows_;
  std::string text_;  ///< of the element, so far
  std::int64_t line_ = 1, first_line_ = 1;
  std::int64_t element_count_ = 0;
  int depth_ = 0;
  bool is_in_text_ = false, is_escaped_ = false, is_ended_ = false;
};

template <typename Parser>
void parse_pieces(NumberedPieces& pieces, std::string_view piece, JsonRows& rows) {
  Parser parser(rows);
  for (; !rows.is_full() && !piece.empty(); piece = pieces.next()) parser.parse(piece);
  parser.finish();
}

}  // namespace

Table read_json(files::ByteStream& text, const TableLimits& limits) {
  JsonRows rows(limits);
  NumberedPieces pieces(text);
  const std::string_view piece = pieces.next();
  const std::size_t first = piece.find_first_not_of(kCellBlanks);
  if (first != std::string_view::npos && piece[first] == '[') {
    parse_pieces<JsonArray>(pieces, piece, rows);
  } else {
    parse_pieces<JsonLines>(pieces, piece, rows);
  }
  return rows.take();
}

}  // namespace octavo::sources
