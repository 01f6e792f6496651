#include "arrays/mat.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <octavo/errors.hpp>

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
constexpr std::uint32_t kComplexFlag = 0x0800;

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

/// Reads the parts of the array at the start of `stream`. Throws FormatError.
class MatrixReader {
 public:
  MatrixReader(files::ByteStream& stream, std::int64_t begin) : stream_(stream), at_(begin) {}

  struct Matrix {
    std::string name;
    StreamLayout layout;
  };
  /// Nothing if the array does not hold real numbers.
  std::optional<Matrix> read();

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

std::optional<MatrixReader::Matrix> MatrixReader::read() {
  const Tag flags = next();
  if (flags.type != kUint32 || flags.bytes != 8) fail();
  const std::uint32_t flag_bits = word(flags.offset);
  // Classes 6 to 15 are numbers; those before are cells, structures, objects, texts and sparse arrays.
  const std::uint32_t array_class = flag_bits & 0xFF;
  if (array_class < 6 || array_class > 15 || (flag_bits & kComplexFlag) != 0) return std::nullopt;

  const Tag shape = next();
  if (shape.type != kInt32 || shape.bytes % 4 != 0 || shape.bytes > static_cast<std::int64_t>(4 * kMostMatAxes)) fail();
  Matrix matrix;
  for (std::int64_t at = 0; at < shape.bytes; at += 4) {
    matrix.layout.axes.push_back(static_cast<std::int32_t>(word(shape.offset + at)));
  }
  std::reverse(matrix.layout.axes.begin(), matrix.layout.axes.end());

  const Tag name = next();
  if (name.type != kInt8 || name.bytes > 255) fail();
  matrix.name.resize(static_cast<std::size_t>(name.bytes));
  stream_.read_at(name.offset, std::as_writable_bytes(std::span(matrix.name)));

  const Tag data = next();
  const auto element = stored_element(data.type);
  if (!element) fail();
  std::int64_t count = 1;
  for (const std::int64_t axis : matrix.layout.axes) {
    if (axis < 1) return std::nullopt;
    if (__builtin_mul_overflow(count, axis, &count)) fail();
  }
  if (count > data.bytes || count * bytes_of(*element) != data.bytes) fail();
  matrix.layout.element = *element;
  matrix.layout.offset = data.offset;
  matrix.layout.ends_stream = false;
  return matrix;
}

/// SVHN's labels are a column, [N,1] in MATLAB and [1,N] here; this makes them N labels.
void drop_single_axes(std::vector<std::int64_t>& axes) {
  while (axes.size() > 1 && axes[0] == 1) axes.erase(axes.begin());
}

/// A variable and its name.
struct OpenVariable {
  std::string name;
  std::unique_ptr<Array> array;
};

/// Opens the variable stored there; nothing if it does not hold real numbers.
std::optional<OpenVariable> open_variable(const std::filesystem::path& path, bool is_deflated, std::int64_t offset,
                                          std::int64_t bytes) {
  std::unique_ptr<files::ByteStream> stream = files::open_stream(path);
  if (is_deflated) stream = files::inflate_part(std::move(stream), offset, bytes);
  // The inflated data begins with the tag of the array.
  auto matrix = MatrixReader(*stream, is_deflated ? 8 : offset).read();
  if (!matrix) return std::nullopt;
  drop_single_axes(matrix->layout.axes);
  const std::string array_name = quoted(std::filesystem::path(path.string() + ": " + matrix->name));
  return OpenVariable{matrix->name, array_in_stream(array_name, std::move(stream), std::move(matrix->layout))};
}

}  // namespace

bool begins_as_mat(std::span<const std::byte> start) {
  constexpr std::string_view kText = "MATLAB 5.0 MAT-file";
  return start.size() >= static_cast<std::size_t>(kHeaderBytes) &&
         std::memcmp(start.data(), kText.data(), kText.size()) == 0;
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
    const auto variable = open_variable(path, is_deflated, element.offset, element.bytes);
    if (variable) {
      variables.push_back({variable->name, variable->array->axes(), is_deflated, element.offset, element.bytes});
    }
  }
  return variables;
}

std::unique_ptr<Array> open_mat_array(const std::filesystem::path& path, const MatVariable& variable) {
  auto opened = open_variable(path, variable.is_deflated, variable.offset, variable.bytes);
  if (!opened) throw FormatError("read " + quoted(path) + ": the file changed in the meantime; try again");
  return std::move(opened->array);
}

}  // namespace octavo::arrays
