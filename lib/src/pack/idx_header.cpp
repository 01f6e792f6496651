#include "pack/idx_header.hpp"

#include <array>

#include <octavo/errors.hpp>

#include "support/checked_math.hpp"

namespace octavo::sources {
namespace {

constexpr std::size_t kMostAxes = 4;

std::string type_name(std::uint8_t type) {
  switch (type) {
    case 0x08:
      return "unsigned bytes";
    case 0x09:
      return "signed bytes";
    case 0x0B:
      return "16-bit integers";
    case 0x0C:
      return "32-bit integers";
    case 0x0D:
      return "32-bit floats";
    case 0x0E:
      return "64-bit floats";
    default:
      return "";
  }
}

std::int64_t big_endian(std::span<const std::byte, 4> bytes) {
  std::int64_t value = 0;
  for (const std::byte byte : bytes) value = value << 8 | std::to_integer<std::int64_t>(byte);
  return value;
}

[[noreturn]] void refuse(const ByteStream& stream, const std::string& reason) {
  throw FormatError("read the IDX file " + quoted(stream.path()) + ": " + reason);
}

std::string axes_text(const IdxHeader& header) {
  std::string text;
  for (const std::int64_t axis : header.axes) text += (text.empty() ? "" : " x ") + std::to_string(axis);
  return text;
}

void check_counts(const ByteStream& stream, const IdxHeader& header) {
  std::int64_t data_bytes = 1;
  for (const std::int64_t axis : header.axes) {
    if (axis == 0) refuse(stream, "its header counts " + axes_text(header) + ", so it holds nothing");
    const auto product = checked_product({data_bytes, axis});
    if (!product) refuse(stream, "its header counts " + axes_text(header) + ", which no file can hold");
    data_bytes = *product;
  }
  const auto total = checked_sum(header.length(), data_bytes);
  const std::int64_t most_bytes = stream.most_bytes();
  if (!total || *total > most_bytes) {
    refuse(stream, "its header counts " + axes_text(header) + " bytes, but the file can hold at most " +
                       std::to_string(most_bytes) + "; get the file again");
  }
  if (!stream.is_compressed() && *total != most_bytes) {
    refuse(stream, "its header counts " + axes_text(header) + " bytes, but " +
                       std::to_string(most_bytes - header.length()) + " follow it; it is no plain IDX file");
  }
}

}  // namespace

bool is_idx_magic(std::span<const std::byte> first_four) {
  return first_four.size() >= 4 && first_four[0] == std::byte{0} && first_four[1] == std::byte{0} &&
         !type_name(std::to_integer<std::uint8_t>(first_four[2])).empty() && first_four[3] != std::byte{0} &&
         std::to_integer<std::size_t>(first_four[3]) <= kMostAxes;
}

IdxHeader read_idx_header(ByteStream& stream) {
  std::array<std::byte, 4> word;
  stream.read(word);
  if (!is_idx_magic(word)) refuse(stream, "it does not begin as an IDX file does (0, 0, type, 1 to 4 axes)");
  IdxHeader header;
  header.type = std::to_integer<std::uint8_t>(word[2]);
  if (header.type != kIdxUnsignedByte) {
    refuse(stream, "it holds " + type_name(header.type) + ", but only unsigned bytes can be read; convert it");
  }
  header.axes.resize(std::to_integer<std::size_t>(word[3]));
  for (std::int64_t& axis : header.axes) {
    stream.read(word);
    axis = big_endian(word);
  }
  check_counts(stream, header);
  return header;
}

std::int64_t idx_data_bytes(const IdxHeader& header) {
  std::int64_t product = 1;
  for (const std::int64_t axis : header.axes) product *= axis;
  return product;
}

}  // namespace octavo::sources
