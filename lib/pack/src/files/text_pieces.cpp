#include "files/text_pieces.hpp"

#include <span>

#include <octavo/errors.hpp>

#include "files/utf8_encoding.hpp"

namespace octavo::files {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16LittleMark = "\xFF\xFE", kUtf16BigMark = "\xFE\xFF";
constexpr std::string_view kUtf32LittleMark = "\xFF\xFE\0\0"sv, kUtf32BigMark = "\0\0\xFE\xFF"sv;

[[noreturn]] void refuse_malformed() { throw FormatError("it is not valid UTF-16; save it as UTF-8"); }

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

}  // namespace

TextPieces::TextPieces(ByteStream& stream) : stream_(stream) { recognize(); }

void TextPieces::recognize() {
  std::array<char, 4> bytes{};
  const std::size_t count = stream_.read_some_at(0, std::as_writable_bytes(std::span(bytes)));
  const std::string_view start(bytes.data(), count);
  const auto use = [&](Encoding encoding, std::string_view mark) {
    encoding_ = encoding;
    offset_ = std::ssize(mark);
  };
  if (start.starts_with(kUtf32LittleMark) || start.starts_with(kUtf32BigMark)) {
    throw FormatError("it is UTF-32 text; save it as UTF-8");
  }
  if (start.starts_with(kUtf8Mark)) return use(Encoding::utf8, kUtf8Mark);
  if (start.starts_with(kUtf16LittleMark)) return use(Encoding::utf16_little, kUtf16LittleMark);
  if (start.starts_with(kUtf16BigMark)) return use(Encoding::utf16_big, kUtf16BigMark);
  if (count < bytes.size()) return;
  const auto is_zero = [&](std::size_t at) { return bytes[at] == '\0'; };
  if (!is_zero(0) && is_zero(1) && !is_zero(2) && is_zero(3)) encoding_ = Encoding::utf16_little;
  if (is_zero(0) && !is_zero(1) && is_zero(2) && !is_zero(3)) encoding_ = Encoding::utf16_big;
}

std::string_view TextPieces::next() {
  const std::size_t count = stream_.read_some_at(offset_, buffer_);
  offset_ += static_cast<std::int64_t>(count);
  if (encoding_ == Encoding::utf8) return {reinterpret_cast<const char*>(buffer_.data()), count};
  // Streams return fewer bytes than asked for only at their end.
  if (count % 2 != 0) refuse_malformed();
  convert(count);
  // Only the first half of a character is left at the end. An empty piece would end the text without a word.
  if (converted_.empty() && high_surrogate_ != 0) refuse_malformed();
  return converted_;
}

void TextPieces::convert(std::size_t byte_count) {
  converted_.clear();
  const std::size_t low = encoding_ == Encoding::utf16_little ? 0 : 1;
  for (std::size_t at = 0; at < byte_count; at += 2) {
    append_unit(std::to_integer<std::uint32_t>(buffer_[at + low]) |
                std::to_integer<std::uint32_t>(buffer_[at + 1 - low]) << 8);
  }
}

void TextPieces::append_unit(std::uint32_t unit) {
  if (is_low_surrogate(unit) != (high_surrogate_ != 0)) refuse_malformed();
  if (is_high_surrogate(unit)) {
    high_surrogate_ = unit;
    return;
  }
  append_utf8(high_surrogate_ == 0 ? unit : 0x10000 + ((high_surrogate_ - 0xD800) << 10) + (unit - 0xDC00), converted_);
  high_surrogate_ = 0;
}

std::string read_text(ByteStream& stream, std::int64_t largest) {
  std::string text;
  try {
    TextPieces pieces(stream);
    for (std::string_view piece; !(piece = pieces.next()).empty();) {
      if (std::ssize(text) + std::ssize(piece) > largest) {
        throw FormatError("it has more than " + std::to_string(largest) + " bytes, the limit for such files");
      }
      text += piece;
    }
  } catch (const FormatError& error) {
    throw FormatError("read " + stream.name() + ": " + error.what());
  }
  return text;
}

}  // namespace octavo::files
