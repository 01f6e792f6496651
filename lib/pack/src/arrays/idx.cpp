#include "arrays/idx.hpp"

#include <array>
#include <optional>

#include <octavo/errors.hpp>

namespace octavo::arrays {
namespace {

constexpr std::size_t kMostIdxAxes = 4;

std::optional<Element> element_of(std::byte type) {
  switch (std::to_integer<int>(type)) {
    case 0x08:
      return Element::uint8;
    case 0x09:
      return Element::int8;
    case 0x0B:
      return Element::int16;
    case 0x0C:
      return Element::int32;
    case 0x0D:
      return Element::float32;
    case 0x0E:
      return Element::float64;
    default:
      return std::nullopt;
  }
}

std::int64_t big_endian(std::span<const std::byte, 4> bytes) {
  std::int64_t value = 0;
  for (const std::byte byte : bytes) value = value << 8 | std::to_integer<std::int64_t>(byte);
  return value;
}

}  // namespace

bool is_idx_magic(std::span<const std::byte> first_four) {
  return first_four.size() >= 4 && first_four[0] == std::byte{0} && first_four[1] == std::byte{0} &&
         element_of(first_four[2]) && first_four[3] != std::byte{0} &&
         std::to_integer<std::size_t>(first_four[3]) <= kMostIdxAxes;
}

std::unique_ptr<Array> open_idx(std::shared_ptr<files::ByteStream> stream) {
  std::array<std::byte, 4> word;
  stream->read_at(0, word);
  if (!is_idx_magic(word)) {
    throw FormatError("read the IDX file " + stream->name() +
                      ": not an IDX file (unexpected first bytes; expected 0, 0, type, 1 to 4 axes)");
  }
  StreamLayout layout;
  layout.element = *element_of(word[2]);
  layout.is_big_endian = true;
  layout.axes.resize(std::to_integer<std::size_t>(word[3]));
  layout.offset = 4;
  for (std::int64_t& axis : layout.axes) {
    stream->read_at(layout.offset, word);
    axis = big_endian(word);
    layout.offset += 4;
  }
  const std::string name = stream->name();
  return array_in_stream(name, std::move(stream), std::move(layout));
}

}  // namespace octavo::arrays
