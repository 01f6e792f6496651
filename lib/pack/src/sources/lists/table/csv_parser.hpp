// Splits CSV into records of fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace octavo::sources {

/// Reads CSV as in RFC 4180, piece by piece, with these additions: any separator; records end with "\n", "\r\n" or
/// "\r"; empty lines are skipped; blanks around a field are not part of it, except inside quotes. Quotes inside a field
/// without quotes are an error, because the author may have meant something else.
class CsvParser {
 public:
  /// Takes the fields of a record, and the line of the text where it begins, from 1. Returns whether to go on.
  using TakeRecord = std::function<bool(std::vector<std::string> fields, std::int64_t line)>;

  CsvParser(char separator, TakeRecord take_record) : separator_(separator), take_record_(std::move(take_record)) {}

  /// Whether `take_record` returned false; later pieces are ignored.
  bool is_done() const { return is_done_; }

  /// Pieces may end anywhere. Throws FormatError naming the line, and whatever `take_record` throws.
  void parse(std::string_view piece);

  /// The text ends here. Throws as parse().
  void finish();

 private:
  enum class State { record_start, field_start, bare, quoted, after_quote };

  void take(char c);
  void begin_field(char c);
  void extend_bare(char c);
  void take_after_quote(char c);
  bool take_end(char c);
  void end_field();
  void end_record();
  void count_line_end(char c);
  bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != separator_; }
  [[noreturn]] void refuse_quotes() const;

  char separator_;
  TakeRecord take_record_;
  State state_ = State::record_start;
  std::vector<std::string> fields_;  ///< of the record, so far
  std::string text_;                 ///< of the field, so far
  bool has_blanks_after_quote_ = false;
  bool follows_return_ = false;
  bool is_done_ = false;
  std::int64_t line_ = 1;  ///< of the next character
  std::int64_t record_line_ = 1;
  std::int64_t record_bytes_ = 0;
};

}  // namespace octavo::sources
