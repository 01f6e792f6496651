#include "ptx/lexer.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <stdexcept>

namespace device_code {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_word_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.';
}
bool is_word_part(char c) { return is_word_start(c) || is_digit(c); }

}  // namespace

void fail_at(int line, const std::string& what) {
  throw std::runtime_error("PTX line " + std::to_string(line) + ": " + what);
}

i64 integer_of(const Token& token) {
  if (token.kind != Token::Kind::number)
    fail_at(token.line, "expected a number, got \"" + std::string(token.text) + "\"");
  const std::string text(token.text);
  return text[0] == '-' ? std::strtoll(text.c_str(), nullptr, 0)
                        : static_cast<i64>(std::strtoull(text.c_str(), nullptr, 0));
}

Token Lexer::take() {
  const Token taken = token_;
  advance();
  return taken;
}

bool Lexer::accept(std::string_view text) {
  if (!token_.is(text)) return false;
  advance();
  return true;
}

void Lexer::expect(std::string_view text) {
  if (accept(text)) return;
  fail_at(token_.line, "expected \"" + std::string(text) + "\", got \"" + std::string(token_.text) + "\"");
}

std::string_view Lexer::between(const Token& first, const Token& end) const {
  const char* last = end.text.data();
  while (last > first.text.data() && is_space(last[-1])) --last;
  return {first.text.data(), static_cast<std::size_t>(last - first.text.data())};
}

void Lexer::skip_space() {
  while (at_ < text_.size()) {
    if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (is_space(text_[at_])) {
      if (text_[at_++] == '\n') ++line_;
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  skip_space();
  const std::size_t first = at_;
  const auto at = [&](std::size_t i) { return i < text_.size() ? text_[i] : '\0'; };
  Token::Kind kind = Token::Kind::symbol;
  if (first >= text_.size() || text_[first] == '\0') {
    token_ = {Token::Kind::end, text_.substr(text_.size()), line_};
    return;
  }
  if (at(first) == '"') {
    at_ = text_.find('"', first + 1);
    if (at_ == std::string_view::npos) fail_at(line_, "a string does not end");
    token_ = {Token::Kind::text, text_.substr(first + 1, at_ - first - 1), line_};
    ++at_;
    return;
  }
  ++at_;
  if (is_digit(at(first)) || (at(first) == '-' && is_digit(at(first + 1)))) {
    kind = Token::Kind::number;
    while (std::isalnum(static_cast<unsigned char>(at(at_))) != 0 || (at(at_) == '.' && is_digit(at(at_ + 1)))) ++at_;
  } else if (is_word_start(at(first))) {
    kind = Token::Kind::word;
    // "::" joins the parts of a modifier, such as L2::cache_hint; a single colon ends a label.
    while (is_word_part(at(at_)) || (at(at_) == ':' && at(at_ + 1) == ':')) at_ += at(at_) == ':' ? 2 : 1;
  }
  token_ = {kind, text_.substr(first, at_ - first), line_};
}

}  // namespace device_code
