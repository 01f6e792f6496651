#include "arrays/matlab/mat.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include <octavo/errors.hpp>

#include "arrays/matlab/matlab_values.hpp"
#include "support/file.hpp"

namespace octavo::arrays {
namespace {

// "MAT-File Format", MathWorks: a header of 128 bytes, then elements, each with a tag of 8 bytes and data. Type 14 is
// an array, type 15 a deflated array. A tag whose upper 16 bits are not zero has 4 bytes, followed by at most 4 bytes
// of data.
constexpr std::int64_t kHeaderBytes = 128;
constexpr std::uint32_t kInt32 = 5, kUint32 = 6, kInt8 = 1, kMatrix = 14, kCompressed = 15;
constexpr std::size_t kMostVariables = 4096;
constexpr std::size_t kMostMatAxes = 32;
constexpr std::uint32_t kUint16 = 4, kUtf8 = 16, kUtf16 = 17;
constexpr std::uint32_t kComplexFlag = 0x0800;
/// A char matrix of class names has a few kilobytes.
constexpr std::int64_t kMostTextBytes = std::int64_t{1} << 24;

/// The type of stored numbers; nothing if it is not a numeric type.
std::optional<Element> stored_element(std::uint32_t type) {
  switch (type) {
    case 1:
      return Element::int8;
    case 2:
      return Element::uint8;
    case 3:
      return Element::int16;
    case 4:
      return Element::uint16;
    case 5:
      return Element::int32;
    case 6:
      return Element::uint32;
    case 7:
      return Element::float32;
    case 9:
      return Element::float64;
    case 12:
      return Element::int64;
    case 13:
      return Element::uint64;
    default:
      return std::nullopt;
  }
}

struct Tag {
  std::uint32_t type = 0;
  std::int64_t offset = 0;  ///< of the data
  std::int64_t bytes = 0;   ///< of the data
  std::int64_t end = 0;     ///< of the element, which is padded to 8 bytes in an array
};

/// MATLAB's name of an array class, as in MATLAB 7.3 files; "unknown" for any other number.
std::string class_name(std::uint32_t number) {
  constexpr std::array<const char*, 18> kNames = {
      "unknown", "cell",  "struct", "object", "char",   "sparse", "double", "single",          "int8",
      "uint8",   "int16", "uint16", "int32",  "uint32", "int64",  "uint64", "function_handle", "opaque"};
  return number < kNames.size() ? kNames[number] : "unknown";
}

/// Reads the parts of the array at the start of `stream`. Throws FormatError.
class MatrixReader {
 public:
  MatrixReader(files::ByteStream& stream, std::int64_t begin) : stream_(stream), at_(begin) {}

  struct Matrix {
    std::string name;
    std::string unusable;  ///< as in ListedArray
    StreamLayout layout;   ///< without the rest if the matrix is unusable
    Tag text = {};         ///< of a char matrix
  };
  Matrix read();
  /// The rows of a char matrix.
  std::vector<std::string> texts_of(const Matrix& matrix);

 private:
  [[noreturn]] void fail() const {
    throw FormatError("read " + stream_.name() + ": a variable in it is damaged; get the file again");
  }
  std::uint32_t word(std::int64_t offset) {
    std::uint32_t value = 0;
    stream_.read_at(offset, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  Tag next();
  std::vector<std::int64_t> read_axes();
  void read_numbers(Matrix& matrix);

  files::ByteStream& stream_;
  std::int64_t at_;
};

Tag MatrixReader::next() {
  const std::uint32_t first = word(at_);
  Tag tag;
  if (first >> 16 != 0) {
    tag = {first & 0xFFFF, at_ + 4, first >> 16, at_ + 8};
    if (tag.bytes > 4) fail();
  } else {
    tag = {first, at_ + 8, word(at_ + 4), 0};
    tag.end = tag.offset + (tag.bytes + 7) / 8 * 8;
  }
  at_ = tag.end;
  return tag;
}

/// Reversed, because in MATLAB the first axis varies fastest.
std::vector<std::int64_t> MatrixReader::read_axes() {
  const Tag shape = next();
  if (shape.type != kInt32 || shape.bytes % 4 != 0 || shape.bytes > static_cast<std::int64_t>(4 * kMostMatAxes)) fail();
  std::vector<std::int64_t> axes;
  for (std::int64_t at = 0; at < shape.bytes; at += 4) {
    axes.push_back(static_cast<std::int32_t>(word(shape.offset + at)));
  }
  std::reverse(axes.begin(), axes.end());
  return axes;
}

MatrixReader::Matrix MatrixReader::read() {
  const Tag flags = next();
  if (flags.type != kUint32 || flags.bytes != 8) fail();
  const std::uint32_t flag_bits = word(flags.offset);
  const std::string class_of_it = class_name(flag_bits & 0xFF);
  Matrix matrix;
  matrix.unusable = matlab_content(class_of_it);
  // An opaque object has no shape.
  if (class_of_it != "opaque") matrix.layout.axes = read_axes();

  const Tag name = next();
  if (name.type != kInt8 || name.bytes > 255) fail();
  matrix.name.resize(static_cast<std::size_t>(name.bytes));
  stream_.read_at(name.offset, std::as_writable_bytes(std::span(matrix.name)));

  const auto is_empty = [](std::int64_t axis) { return axis < 1; };
  const bool has_shape = class_of_it != "opaque";
  if (has_shape && std::ranges::any_of(matrix.layout.axes, is_empty)) {
    matrix.unusable = "empty";
  } else if (matrix.unusable == "text") {
    matrix.text = next();
  } else if (matrix.unusable.empty() && (flag_bits & kComplexFlag) != 0) {
    matrix.unusable = "complex numbers";
  } else if (matrix.unusable.empty()) {
    read_numbers(matrix);
  }
  return matrix;
}

void MatrixReader::read_numbers(Matrix& matrix) {
  const Tag data = next();
  const auto element = stored_element(data.type);
  if (!element) fail();
  std::int64_t count = 1;
  for (const std::int64_t axis : matrix.layout.axes) {
    if (__builtin_mul_overflow(count, axis, &count)) fail();
  }
  if (count > data.bytes || count * bytes_of(*element) != data.bytes) fail();
  matrix.layout.element = *element;
  matrix.layout.offset = data.offset;
  matrix.layout.ends_stream = false;
}

/// UTF-8 as UTF-16, for characters of up to three bytes, which is what MATLAB's characters are; invalid bytes as
/// themselves.
std::vector<std::uint16_t> utf16_of(std::string_view text) {
  std::vector<std::uint16_t> units;
  const auto byte = [&](std::size_t at) { return static_cast<std::uint16_t>(static_cast<unsigned char>(text[at])); };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t more = byte(at) >= 0xE0 ? 2 : byte(at) >= 0xC0 ? 1 : 0;
    if (more == 0 || at + more >= text.size() || byte(at) >= 0xF0) {
      units.push_back(byte(at));
      continue;
    }
    std::uint32_t character = byte(at) & (more == 2 ? 0x0FU : 0x1FU);
    for (std::size_t i = 0; i < more; ++i) character = character << 6 | (byte(++at) & 0x3FU);
    units.push_back(static_cast<std::uint16_t>(character));
  }
  return units;
}

std::vector<std::string> MatrixReader::texts_of(const Matrix& matrix) {
  const Tag& data = matrix.text;
  const auto& axes = matrix.layout.axes;
  if (data.bytes > kMostTextBytes || axes.size() != 2) fail();
  std::string bytes(static_cast<std::size_t>(data.bytes), '\0');
  stream_.read_at(data.offset, std::as_writable_bytes(std::span(bytes)));
  std::vector<std::uint16_t> units;
  if (data.type == kUint16 || data.type == kUtf16) {
    units.resize(bytes.size() / 2);
    std::memcpy(units.data(), bytes.data(), 2 * units.size());
  } else if (data.type == kUtf8) {
    units = utf16_of(bytes);
  } else {
    for (const char c : bytes) units.push_back(static_cast<unsigned char>(c));
  }
  std::int64_t count = 0;
  if (__builtin_mul_overflow(axes[0], axes[1], &count) || count != std::ssize(units)) fail();
  return rows_of_char_matrix(units, axes[1]);
}

/// A variable, and the stream that holds it.
struct OpenVariable {
  std::unique_ptr<files::ByteStream> stream;
  MatrixReader::Matrix matrix;
};

/// Opens the variable stored there.
OpenVariable open_variable(const std::filesystem::path& path, bool is_deflated, std::int64_t offset,
                           std::int64_t bytes) {
  std::unique_ptr<files::ByteStream> stream = files::open_stream(path);
  if (is_deflated) stream = files::inflate_part(std::move(stream), offset, bytes);
  // The inflated data begins with the tag of the array.
  auto matrix = MatrixReader(*stream, is_deflated ? 8 : offset).read();
  return {std::move(stream), std::move(matrix)};
}

std::unique_ptr<Array> array_of(const std::filesystem::path& path, OpenVariable variable) {
  variable.matrix.layout.axes = matlab_axes(variable.matrix.layout.axes);
  const std::string name = quoted(std::filesystem::path(path.string() + ": " + variable.matrix.name));
  return array_in_stream(name, std::move(variable.stream), std::move(variable.matrix.layout));
}

/// The entry of a variable in the list.
MatVariable listed(const std::filesystem::path& path, OpenVariable open) {
  MatVariable variable;
  const MatrixReader::Matrix& matrix = open.matrix;
  variable.name = matrix.name;
  variable.unusable = matrix.unusable;
  variable.axes = matrix.layout.axes;
  variable.has_reversed_axes = true;
  if (variable.unusable == "text" && variable.axes.size() == 2) {
    variable.is_text = matrix.text.bytes <= kMostTextBytes;
    variable.axes = {variable.axes[1]};
  }
  if (!variable.is_usable()) return variable;
  const auto array = array_of(path, std::move(open));
  variable.element = array->element();
  variable.axes = array->axes();
  return variable;
}

[[noreturn]] void refuse_changed(const std::filesystem::path& path) {
  throw FormatError("read " + quoted(path) + ": the file changed in the meantime; try again");
}

}  // namespace

bool begins_as_mat(std::span<const std::byte> start) {
  constexpr std::string_view kText = "MATLAB 5.0 MAT-file";
  return start.size() >= static_cast<std::size_t>(kHeaderBytes) &&
         std::memcmp(start.data(), kText.data(), kText.size()) == 0;
}

bool begins_as_mat4(std::span<const std::byte> start) {
  // "MAT-File Format", MathWorks, level 4: the type, whose decimal digits are the byte order (0: little-endian), 0, the
  // type of numbers (0 to 5) and of the matrix (0 to 2); the numbers of rows and columns; whether it is complex; the
  // length of the name; and the name with a zero.
  constexpr std::size_t kMat4HeaderBytes = 20;
  if (start.size() <= kMat4HeaderBytes) return false;
  std::array<std::int32_t, 5> header{};
  std::memcpy(header.data(), start.data(), kMat4HeaderBytes);
  if (header[0] >= 1000 || header[0] < 0) {
    for (std::int32_t& number : header)
      number = static_cast<std::int32_t>(__builtin_bswap32(static_cast<std::uint32_t>(number)));
    header[0] -= 1000;
  }
  const auto [type, rows, columns, is_complex, name_bytes] = header;
  if (type < 0 || type / 10 > 5 || type % 10 > 2 || rows < 0 || columns < 0 || is_complex < 0 || is_complex > 1) {
    return false;
  }
  if (name_bytes < 2 || start.size() - kMat4HeaderBytes < static_cast<std::size_t>(name_bytes)) return false;
  const auto name = start.subspan(kMat4HeaderBytes, static_cast<std::size_t>(name_bytes));
  const auto is_plain = [](std::byte byte) { return byte > std::byte{0x20} && byte < std::byte{0x7F}; };
  return std::ranges::all_of(name.first(name.size() - 1), is_plain) && name.back() == std::byte{0};
}

std::vector<MatVariable> list_mat(const std::filesystem::path& path) {
  const auto stream = files::open_stream(path);
  std::array<std::byte, kHeaderBytes> header{};
  stream->read_at(0, header);
  const std::int64_t length = stream->most_bytes();
  // If the file was written with the other byte order, the two letters are swapped.
  if (!begins_as_mat(header) || header[126] != std::byte{'I'} || header[127] != std::byte{'M'}) {
    throw FormatError("read " + quoted(path) + ": not a little-endian MATLAB 5 file; save it again");
  }
  std::vector<MatVariable> variables;
  for (std::int64_t at = kHeaderBytes; at + 8 <= length;) {
    std::uint32_t words[2] = {};
    stream->read_at(at, std::as_writable_bytes(std::span(words)));
    const Tag element = {words[0], at + 8, words[1], at + 8 + words[1]};
    if (element.end > length || variables.size() >= kMostVariables) {
      throw FormatError("read " + quoted(path) + ": it ends inside a variable; get the file again");
    }
    at = element.end;
    if (element.type != kMatrix && element.type != kCompressed) continue;
    const bool is_deflated = element.type == kCompressed;
    // Open each variable only for inspection and close it: there may be more variables than allowed open files.
    MatVariable variable = listed(path, open_variable(path, is_deflated, element.offset, element.bytes));
    if (variable.name.empty()) continue;  // MATLAB's own data
    variable.is_deflated = is_deflated;
    variable.offset = element.offset;
    variable.bytes = element.bytes;
    variables.push_back(std::move(variable));
  }
  return variables;
}

std::unique_ptr<Array> open_mat_array(const std::filesystem::path& path, const MatVariable& variable) {
  auto open = open_variable(path, variable.is_deflated, variable.offset, variable.bytes);
  if (!open.matrix.unusable.empty()) refuse_changed(path);
  return array_of(path, std::move(open));
}

std::vector<std::string> read_mat_texts(const std::filesystem::path& path, const MatVariable& variable) {
  const auto open = open_variable(path, variable.is_deflated, variable.offset, variable.bytes);
  if (open.matrix.unusable != "text") refuse_changed(path);
  return MatrixReader(*open.stream, 0).texts_of(open.matrix);
}

}  // namespace octavo::arrays
