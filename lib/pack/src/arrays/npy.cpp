#include "arrays/npy.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include <octavo/errors.hpp>

namespace octavo::arrays {
namespace {

constexpr std::array<std::uint8_t, 6> kMagic = {0x93, 'N', 'U', 'M', 'P', 'Y'};
// NumPy itself refuses headers of more than 10,000 characters.
constexpr std::int64_t kMostHeaderBytes = 1 << 16;
constexpr std::size_t kMostNpyAxes = 32;

/// Parses the header, a Python dictionary as text. Supports only strings, True, False, and tuples of whole numbers.
/// Throws FormatError with the reason only.
class HeaderText {
 public:
  explicit HeaderText(std::string_view text) : text_(text) {}

  StreamLayout layout();

 private:
  [[noreturn]] static void fail() { throw FormatError("its header does not describe an array of numbers"); }
  void skip_blanks() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_[0])) != 0) text_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    skip_blanks();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail();
  }
  std::string quoted_text();
  std::int64_t number();
  std::vector<std::int64_t> tuple();

  std::string_view text_;
};

std::string HeaderText::quoted_text() {
  skip_blanks();
  if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) fail();
  const std::size_t end = text_.find(text_[0], 1);
  if (end == std::string_view::npos) fail();
  std::string value(text_.substr(1, end - 1));
  text_.remove_prefix(end + 1);
  return value;
}

std::int64_t HeaderText::number() {
  skip_blanks();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
  if (error != std::errc() || value < 0) fail();
  text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
  static_cast<void>(take("L"));  // Python 2 wrote long numbers with an L
  return value;
}

std::vector<std::int64_t> HeaderText::tuple() {
  std::vector<std::int64_t> values;
  expect("(");
  while (!take(")")) {
    values.push_back(number());
    if (values.size() > kMostNpyAxes) fail();
    if (!take(",")) {
      expect(")");
      break;
    }
  }
  return values;
}

/// Byte order and element of a type as NumPy spells it: "<f4", "|u1".
void set_type(const std::string& type, StreamLayout& layout) {
  static const std::map<std::string_view, Element> kElements = {
      {"b1", Element::boolean}, {"i1", Element::int8},    {"u1", Element::uint8},   {"i2", Element::int16},
      {"u2", Element::uint16},  {"i4", Element::int32},   {"u4", Element::uint32},  {"i8", Element::int64},
      {"u8", Element::uint64},  {"f2", Element::float16}, {"f4", Element::float32}, {"f8", Element::float64}};
  if (type.find('O') != std::string::npos) {
    throw FormatError("it holds Python objects, which are not supported; save an array of numbers");
  }
  const bool has_order = !type.empty() && std::string_view("<>|=").find(type[0]) != std::string_view::npos;
  const auto found = kElements.find(std::string_view(type).substr(has_order ? 1 : 0));
  if (found == kElements.end()) {
    throw FormatError("its elements are of type '" + type.substr(0, 40) + "', which are not plain numbers");
  }
  layout.element = found->second;
  layout.is_big_endian = type[0] == '>';
}

StreamLayout HeaderText::layout() {
  StreamLayout layout;
  bool has_type = false, has_order = false, has_shape = false;
  expect("{");
  while (!take("}")) {
    const std::string key = quoted_text();
    expect(":");
    skip_blanks();
    if (key == "descr") {
      // A list of fields describes a record.
      if (text_.starts_with("[")) throw FormatError("it holds records; save an array of numbers");
      set_type(quoted_text(), layout);
      has_type = true;
    } else if (key == "fortran_order") {
      layout.is_fortran_order = take("True");
      if (!layout.is_fortran_order) expect("False");
      has_order = true;
    } else if (key == "shape") {
      layout.axes = tuple();
      has_shape = true;
    } else {
      fail();
    }
    if (!take(",")) {
      expect("}");
      break;
    }
  }
  if (!has_type || !has_order || !has_shape) fail();
  return layout;
}

/// The offset and the length of the header's text.
struct HeaderPlace {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

HeaderPlace find_header(files::ByteStream& stream) {
  std::array<std::byte, 12> start{};
  stream.read_at(0, std::span(start).first(10));
  if (!is_npy_magic(start)) throw FormatError("not a .npy file (unexpected first bytes)");
  const auto byte = [&](std::size_t at) { return std::to_integer<std::int64_t>(start[at]); };
  if (byte(6) == 1) return {10, byte(8) | byte(9) << 8};
  if (byte(6) != 2 && byte(6) != 3) {
    throw FormatError("unsupported .npy version " + std::to_string(byte(6)) + "; expected 1 to 3");
  }
  stream.read_at(0, start);
  return {12, byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24};
}

StreamLayout read_layout(files::ByteStream& stream) {
  const HeaderPlace place = find_header(stream);
  if (place.bytes > kMostHeaderBytes) {
    throw FormatError("its header claims " + std::to_string(place.bytes) + " bytes; at most " +
                      std::to_string(kMostHeaderBytes) + " are supported");
  }
  std::string text(static_cast<std::size_t>(place.bytes), '\0');
  stream.read_at(place.offset, std::as_writable_bytes(std::span(text)));
  StreamLayout layout = HeaderText(text).layout();
  layout.offset = place.offset + place.bytes;
  return layout;
}

}  // namespace

bool is_npy_magic(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() &&
         std::equal(kMagic.begin(), kMagic.end(), bytes.begin(),
                    [](std::uint8_t a, std::byte b) { return a == std::to_integer<std::uint8_t>(b); });
}

std::unique_ptr<Array> open_npy(std::shared_ptr<files::ByteStream> stream) {
  const std::string name = stream->name();
  StreamLayout layout;
  try {
    layout = read_layout(*stream);
  } catch (const FormatError& error) {
    const std::string reason = error.what();
    throw FormatError(reason.starts_with("read ") ? reason : "read " + name + ": " + reason);
  }
  return array_in_stream(name, std::move(stream), std::move(layout));
}

}  // namespace octavo::arrays
