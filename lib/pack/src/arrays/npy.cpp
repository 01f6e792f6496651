#include "arrays/npy.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "files/utf8_encoding.hpp"

namespace octavo::arrays {
namespace {

constexpr std::array<std::uint8_t, 6> kMagic = {0x93, 'N', 'U', 'M', 'P', 'Y'};
// NumPy itself refuses headers of more than 10,000 characters.
constexpr std::int64_t kMostHeaderBytes = 1 << 16;
constexpr std::size_t kMostNpyAxes = 32;
/// Class names and labels are shorter.
constexpr std::size_t kMostTextWidth = 4096;

/// Parses the header, a Python dictionary as text. Supports only strings, True, False, and tuples of whole numbers.
/// Throws FormatError with the reason only.
class HeaderText {
 public:
  explicit HeaderText(std::string_view text) : text_(text) {}

  struct Header {
    StreamLayout layout;
    std::string unusable;        ///< as in ListedArray; the element is then unspecified
    std::size_t text_width = 0;  ///< of text: characters per text
    bool is_wide_text = false;   ///< UTF-32, else bytes
  };
  Header header();

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
  void skip_list();
  static void set_type(const std::string& type, Header& header);

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

/// Skips a list in brackets or parentheses: the fields of a record.
void HeaderText::skip_list() {
  int depth = 0;
  do {
    skip_blanks();
    if (text_.empty()) fail();
    if (text_[0] == '\'' || text_[0] == '"') {
      quoted_text();
      continue;
    }
    if (text_[0] == '[' || text_[0] == '(') ++depth;
    if (text_[0] == ']' || text_[0] == ')') --depth;
    text_.remove_prefix(1);
  } while (depth > 0);
}

/// What an array holds whose elements have this kind, as NumPy spells it; empty for numbers.
std::string content_of(char kind, const std::string& type) {
  switch (kind) {
    case 'O':
      return "Python objects";
    case 'U':
    case 'S':
    case 'a':
    case 'T':
      return "text";
    case 'M':
      return "dates";
    case 'm':
      return "time differences";
    case 'c':
      return "complex numbers";
    case 'V':
      return "raw bytes";
    default:
      return "elements of type '" + printable(type.substr(0, 40)) + "'";
  }
}

/// Byte order and element of a type as NumPy spells it: "<f4", "|u1".
void HeaderText::set_type(const std::string& type, Header& header) {
  static const std::map<std::string_view, Element> kElements = {
      {"b1", Element::boolean}, {"i1", Element::int8},    {"u1", Element::uint8},   {"i2", Element::int16},
      {"u2", Element::uint16},  {"i4", Element::int32},   {"u4", Element::uint32},  {"i8", Element::int64},
      {"u8", Element::uint64},  {"f2", Element::float16}, {"f4", Element::float32}, {"f8", Element::float64}};
  const bool has_order = !type.empty() && std::string_view("<>|=").find(type[0]) != std::string_view::npos;
  const std::string_view name = std::string_view(type).substr(has_order ? 1 : 0);
  header.layout.is_big_endian = type.starts_with('>');
  if (const auto found = kElements.find(name); found != kElements.end()) {
    header.layout.element = found->second;
    return;
  }
  header.unusable = content_of(name.empty() ? '?' : name[0], type);
  if (header.unusable != "text") return;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), header.text_width);
  const bool is_width = error == std::errc() && end == name.data() + name.size();
  if (!is_width || name[0] == 'T' || header.text_width > kMostTextWidth) header.text_width = 0;
  header.is_wide_text = name[0] == 'U';
}

HeaderText::Header HeaderText::header() {
  Header header;
  bool has_type = false, has_order = false, has_shape = false;
  expect("{");
  while (!take("}")) {
    const std::string key = quoted_text();
    expect(":");
    skip_blanks();
    if (key == "descr") {
      // A list of fields describes a record, and a tuple an array in an array.
      if (text_.starts_with("[") || text_.starts_with("(")) {
        header.unusable = text_.starts_with("[") ? "records" : "arrays in an array";
        skip_list();
      } else {
        set_type(quoted_text(), header);
      }
      has_type = true;
    } else if (key == "fortran_order") {
      header.layout.is_fortran_order = take("True");
      if (!header.layout.is_fortran_order) expect("False");
      has_order = true;
    } else if (key == "shape") {
      header.layout.axes = tuple();
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
  return header;
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

HeaderText::Header read_header(files::ByteStream& stream) {
  const std::string name = stream.name();
  try {
    const HeaderPlace place = find_header(stream);
    if (place.bytes > kMostHeaderBytes) {
      throw FormatError("its header claims " + std::to_string(place.bytes) + " bytes; at most " +
                        std::to_string(kMostHeaderBytes) + " are supported");
    }
    std::string text(static_cast<std::size_t>(place.bytes), '\0');
    stream.read_at(place.offset, std::as_writable_bytes(std::span(text)));
    HeaderText::Header header = HeaderText(text).header();
    header.layout.offset = place.offset + place.bytes;
    return header;
  } catch (const FormatError& error) {
    const std::string reason = error.what();
    throw FormatError(reason.starts_with("read ") ? reason : "read " + name + ": " + reason);
  }
}

/// Text of one element as UTF-8, without the zeros at its end.
std::string text_of(std::span<const std::byte> element, const HeaderText::Header& header) {
  std::string text;
  if (!header.is_wide_text) {
    text.assign(reinterpret_cast<const char*>(element.data()), element.size());
  } else {
    for (std::size_t at = 0; at + 4 <= element.size(); at += 4) {
      std::array<std::byte, 4> bytes;
      std::copy_n(element.begin() + static_cast<std::ptrdiff_t>(at), 4, bytes.begin());
      if (header.layout.is_big_endian) std::reverse(bytes.begin(), bytes.end());
      std::uint32_t character = 0;
      std::memcpy(&character, bytes.data(), sizeof character);
      files::append_utf8(character, text);
    }
  }
  while (text.ends_with('\0')) text.pop_back();
  return text;
}

}  // namespace

bool is_npy_magic(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() &&
         std::equal(kMagic.begin(), kMagic.end(), bytes.begin(),
                    [](std::uint8_t a, std::byte b) { return a == std::to_integer<std::uint8_t>(b); });
}

std::unique_ptr<Array> open_npy(std::shared_ptr<files::ByteStream> stream) {
  HeaderText::Header header = read_header(*stream);
  const std::string name = stream->name();
  if (!header.unusable.empty()) {
    throw FormatError("read " + name + ": it holds " + header.unusable +
                      ", which are not plain numbers; save an array of numbers");
  }
  return array_in_stream(name, std::move(stream), std::move(header.layout));
}

ListedArray describe_npy(files::ByteStream& stream) {
  HeaderText::Header header = read_header(stream);
  ListedArray array;
  array.element = header.layout.element;
  array.axes = std::move(header.layout.axes);
  array.unusable = header.unusable;
  array.is_text = header.text_width > 0;
  if (array.axes.empty()) {
    array.unusable = array.is_usable() ? "a single number" : "a single value: " + array.unusable;
    array.is_text = false;
  } else if (std::ranges::find(array.axes, 0) != array.axes.end()) {
    array.unusable = "empty";
    array.is_text = false;
  }
  return array;
}

std::vector<std::string> read_npy_texts(files::ByteStream& stream) {
  constexpr std::int64_t kTextsAtOnce = 4096;
  const HeaderText::Header header = read_header(stream);
  const auto& axes = header.layout.axes;
  const auto refuse = [&](const std::string& problem) { throw FormatError("read " + stream.name() + ": " + problem); };
  const bool is_list = !axes.empty() && std::all_of(axes.begin() + 1, axes.end(), [](auto axis) { return axis == 1; });
  if (header.text_width == 0 || !is_list) refuse("it is not a list of short texts");
  const std::size_t width = header.text_width * (header.is_wide_text ? 4 : 1);
  const std::int64_t room = stream.most_bytes() - header.layout.offset;
  if (axes[0] < 1 || axes[0] > room / static_cast<std::int64_t>(width)) {
    refuse("its header declares " + std::to_string(axes[0]) + " texts, which the file cannot hold; get the file again");
  }
  std::vector<std::string> texts;
  std::vector<std::byte> elements;
  for (std::int64_t first = 0; first < axes[0]; first += kTextsAtOnce) {
    const auto count = static_cast<std::size_t>(std::min(kTextsAtOnce, axes[0] - first));
    elements.resize(count * width);
    stream.read_at(header.layout.offset + first * static_cast<std::int64_t>(width), elements);
    for (std::size_t i = 0; i < count; ++i) {
      texts.push_back(text_of(std::span(elements).subspan(i * width, width), header));
    }
  }
  return texts;
}

}  // namespace octavo::arrays
