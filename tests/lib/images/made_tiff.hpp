// Small TIFF files, written byte by byte.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace octavo::test {

inline constexpr int kByteType = 1, kShortType = 3, kLongType = 4;

/// A TIFF file to make. `blocks` are its strips, or its tiles if `tags` give a tile size. Missing tags get the values
/// for one strip of uncompressed 8-bit gray.
struct MadeTiff {
  int width = 1;
  int height = 1;
  int samples = 1;
  int bits = 8;
  int color_model = 1;
  std::map<int, std::vector<std::uint32_t>> tags = {};
  std::vector<std::string> blocks = {};
  bool is_big_endian = false;
  bool is_big_tiff = false;
};

/// Writes integers in both byte orders and for both TIFF and BigTIFF.
class TiffBytes {
 public:
  explicit TiffBytes(const MadeTiff& made) : is_big_endian_(made.is_big_endian), is_big_tiff_(made.is_big_tiff) {}

  void put(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) {
      bytes_ += static_cast<char>(value >> 8 * (is_big_endian_ ? count - 1 - i : i));
    }
  }
  /// A count or an offset in a directory: 4 bytes, or 8 in BigTIFF.
  void put_wide(std::uint64_t value) { put(value, is_big_tiff_ ? 8 : 4); }

  std::string& bytes() { return bytes_; }
  std::size_t wide_bytes() const { return is_big_tiff_ ? 8 : 4; }

 private:
  bool is_big_endian_, is_big_tiff_;
  std::string bytes_;
};

inline std::map<int, std::vector<std::uint32_t>> all_tags(const MadeTiff& made) {
  std::map<int, std::vector<std::uint32_t>> tags = {
      {256, {static_cast<std::uint32_t>(made.width)}},
      {257, {static_cast<std::uint32_t>(made.height)}},
      {258, std::vector<std::uint32_t>(static_cast<std::size_t>(made.samples), static_cast<std::uint32_t>(made.bits))},
      {259, {1}},
      {262, {static_cast<std::uint32_t>(made.color_model)}},
      {277, {static_cast<std::uint32_t>(made.samples)}}};
  for (const auto& [tag, values] : made.tags) tags[tag] = values;
  const bool is_tiled = tags.contains(322);
  if (!is_tiled && !tags.contains(278)) tags[278] = {static_cast<std::uint32_t>(made.height)};
  auto& offsets = tags[is_tiled ? 324 : 273];
  auto& counts = tags[is_tiled ? 325 : 279];
  std::uint32_t at = made.is_big_tiff ? 16 : 8;
  for (const std::string& block : made.blocks) {
    offsets.push_back(at);
    counts.push_back(static_cast<std::uint32_t>(block.size()));
    at += static_cast<std::uint32_t>(block.size());
  }
  return tags;
}

/// The header, blocks, directory, and the values that do not fit in the directory.
inline std::string made_tiff(const MadeTiff& made) {
  TiffBytes file(made), beyond(made);
  std::string blocks;
  for (const std::string& block : made.blocks) blocks += block;
  const auto tags = all_tags(made);
  file.bytes() = made.is_big_endian ? "MM" : "II";
  file.put(made.is_big_tiff ? 43 : 42, 2);
  if (made.is_big_tiff) file.put(8, 2), file.put(0, 2);
  const std::size_t directory_at = file.bytes().size() + file.wide_bytes() + blocks.size();
  file.put_wide(directory_at);
  file.bytes() += blocks;
  const std::size_t entry_bytes = 4 + 2 * file.wide_bytes();
  const std::size_t beyond_at =
      directory_at + (made.is_big_tiff ? 8 : 2) + tags.size() * entry_bytes + file.wide_bytes();
  file.put(tags.size(), made.is_big_tiff ? 8 : 2);
  for (const auto& [tag, values] : tags) {
    const bool is_long =
        tag == 256 || tag == 257 || tag == 273 || tag == 278 || tag == 279 || (tag >= 322 && tag <= 325);
    const bool is_text = tag == 700;
    const int value_bytes = is_long ? 4 : is_text ? 1 : 2;
    TiffBytes packed(made);
    for (const std::uint32_t value : values) packed.put(value, value_bytes);
    file.put(static_cast<std::uint64_t>(tag), 2);
    file.put(static_cast<std::uint64_t>(is_long ? kLongType : is_text ? kByteType : kShortType), 2);
    file.put_wide(values.size());
    if (packed.bytes().size() <= file.wide_bytes()) {
      packed.bytes().resize(file.wide_bytes());
      file.bytes() += packed.bytes();
    } else {
      file.put_wide(beyond_at + beyond.bytes().size());
      beyond.bytes() += packed.bytes();
    }
  }
  file.put_wide(0);
  return file.bytes() + beyond.bytes();
}

/// The little-endian TIFF file with one more directory at its end, which has only the kind of the page (tag 254).
inline std::string with_directory(std::string tiff, int page_kind) {
  const auto number = [&](std::size_t at, int count) {
    std::size_t value = 0;
    for (int i = count; i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(tiff[at + static_cast<std::size_t>(i)]);
    return value;
  };
  std::size_t next_at = 4;
  while (number(next_at, 4) != 0) next_at = number(next_at, 4) + 2 + 12 * number(number(next_at, 4), 2);
  TiffBytes offset({}), directory({});
  offset.put(tiff.size(), 4);
  directory.put(1, 2), directory.put(254, 2), directory.put(kLongType, 2), directory.put(1, 4);
  directory.put(static_cast<std::uint64_t>(page_kind), 4), directory.put(0, 4);
  return tiff.replace(next_at, 4, offset.bytes()) + directory.bytes();
}

}  // namespace octavo::test
