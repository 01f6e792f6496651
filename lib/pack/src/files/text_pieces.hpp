// The text of a file as UTF-8, piece by piece: without a byte order mark, and converted from UTF-16.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "files/byte_stream.hpp"

namespace octavo::files {

/// Reads from front to back and never holds the whole text. UTF-16 is recognized by its byte order mark or, since text
/// begins with ASCII in practice, by the zero bytes of its first two characters. Bytes of any other encoding, and of
/// malformed UTF-8, are returned as they are.
class TextPieces {
 public:
  /// `stream` must outlive this. Throws FormatError, with the reason only, if the text is UTF-32; also what reading
  /// throws.
  explicit TextPieces(ByteStream& stream);
  /// The next piece, valid until the next call; empty at the end. Throws FormatError, with the reason only, if UTF-16
  /// is malformed; also what reading throws.
  std::string_view next();

 private:
  enum class Encoding { utf8, utf16_little, utf16_big };

  void recognize();
  void convert(std::size_t byte_count);
  void append_unit(std::uint32_t unit);

  ByteStream& stream_;
  Encoding encoding_ = Encoding::utf8;
  std::array<std::byte, std::size_t{64} << 10> buffer_{};
  std::int64_t offset_ = 0;
  std::string converted_;             ///< of UTF-16
  std::uint32_t high_surrogate_ = 0;  ///< that the last unit was; 0: it was none
};

/// All text of a stream as UTF-8. Throws FormatError if there are more than `largest` bytes, or naming the stream, what
/// TextPieces throws; IoError.
std::string read_text(ByteStream& stream, std::int64_t largest);

}  // namespace octavo::files
