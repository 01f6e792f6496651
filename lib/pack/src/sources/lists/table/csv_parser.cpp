#include "sources/lists/table/csv_parser.hpp"

#include <utility>

#include <octavo/errors.hpp>

#include "sources/lists/table/line_limit.hpp"

namespace octavo::sources {
namespace {

constexpr std::size_t kMostColumns = 100'000;

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

}  // namespace

void CsvParser::parse(std::string_view piece) {
  for (std::size_t i = 0; i < piece.size() && !is_done_; ++i) {
    const char c = piece[i];
    take(c);
    if (state_ != State::record_start && ++record_bytes_ > kMostLineBytes) refuse_long_line(record_line_);
    count_line_end(c);
  }
}

void CsvParser::finish() {
  if (is_done_ || state_ == State::record_start) return;
  if (state_ == State::quoted) {
    throw FormatError("the quotes that begin in line " + std::to_string(record_line_) + " do not end");
  }
  end_record();
}

void CsvParser::take(char c) {
  switch (state_) {
    case State::record_start:
      if (is_blank(c) || is_line_end(c)) return;
      record_line_ = line_;
      record_bytes_ = 0;
      return begin_field(c);
    case State::field_start:
      return begin_field(c);
    case State::bare:
      return extend_bare(c);
    case State::quoted:
      if (c == '"') {
        state_ = State::after_quote;
      } else {
        text_ += c;
      }
      return;
    case State::after_quote:
      return take_after_quote(c);
  }
}

void CsvParser::begin_field(char c) {
  state_ = State::field_start;
  if (is_blank(c) || take_end(c)) return;
  state_ = c == '"' ? State::quoted : State::bare;
  if (c != '"') text_ = c;
}

void CsvParser::extend_bare(char c) {
  if (c == '"') refuse_quotes();
  if (!take_end(c)) text_ += c;
}

/// The quote ends the field, unless another one follows.
void CsvParser::take_after_quote(char c) {
  if (take_end(c)) return;
  if (is_blank(c)) {
    has_blanks_after_quote_ = true;
  } else if (c == '"' && !has_blanks_after_quote_) {
    text_ += c;
    state_ = State::quoted;
  } else {
    refuse_quotes();
  }
}

/// Ends the field or the record if `c` does; returns whether it does.
bool CsvParser::take_end(char c) {
  if (c == separator_) {
    end_field();
    state_ = State::field_start;
  } else if (is_line_end(c)) {
    end_record();
  } else {
    return false;
  }
  return true;
}

void CsvParser::end_field() {
  if (fields_.size() >= kMostColumns) {
    throw FormatError("line " + std::to_string(record_line_) + " has more than " + std::to_string(kMostColumns) +
                      " fields");
  }
  // A bare field begins with a character that is not blank.
  while (state_ == State::bare && is_blank(text_.back())) text_.pop_back();
  fields_.push_back(std::exchange(text_, {}));
  has_blanks_after_quote_ = false;
}

void CsvParser::end_record() {
  end_field();
  state_ = State::record_start;
  is_done_ = !take_record_(std::exchange(fields_, {}), record_line_);
}

/// "\r\n" is one line end.
void CsvParser::count_line_end(char c) {
  if (c == '\r' || (c == '\n' && !follows_return_)) ++line_;
  follows_return_ = c == '\r';
}

void CsvParser::refuse_quotes() const {
  throw FormatError("line " + std::to_string(line_) +
                    " is not valid CSV: it has quotes inside a field; quote the whole field and double its quotes");
}

}  // namespace octavo::sources
