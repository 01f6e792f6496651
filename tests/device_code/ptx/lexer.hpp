// Splits PTX into tokens.
#pragma once

#include <string>
#include <string_view>

#include "ptx/instruction.hpp"

namespace device_code {

struct Token {
  enum class Kind {
    word,    ///< a name, directive or opcode with its modifiers, such as ld.global.v4.u32
    number,  ///< its text, such as -3, 0f3F800000 or 0x7F
    text,    ///< a string without its quotes
    symbol,  ///< one character of punctuation
    end,
  };
  Kind kind = Kind::end;
  std::string_view text;
  int line = 0;

  bool is(std::string_view other) const { return kind != Kind::text && text == other; }
};

/// A cursor over tokens. Comments and white space separate tokens.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  const Token& peek() const { return token_; }
  /// Returns the current token and moves to the next.
  Token take();
  /// Takes the current token if it is `text`.
  bool accept(std::string_view text);
  /// Takes the current token, which must be `text`. Throws std::runtime_error.
  void expect(std::string_view text);
  /// The source between the starts of two tokens, without the white space at its end.
  std::string_view between(const Token& first, const Token& end) const;

 private:
  void advance();
  void skip_space();

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  Token token_;
};

/// Throws std::runtime_error: "PTX line 12: what".
[[noreturn]] void fail_at(int line, const std::string& what);

/// The value of a number of any base. Throws std::runtime_error for another token.
i64 integer_of(const Token& token);

}  // namespace device_code
