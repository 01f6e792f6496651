#include "hostile_archive.hpp"

#include <zlib.h>

#include <cstdio>
#include <numeric>

#include "bomb.hpp"

namespace octavo::test {
namespace {

constexpr std::size_t kTarBlock = 512;

std::string octal(std::uint64_t value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*llo", digits, static_cast<unsigned long long>(value));
  return text;
}

void put(std::string& header, std::size_t at, const std::string& text) { header.replace(at, text.size(), text); }

std::string little(std::uint64_t value, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += static_cast<char>(value >> 8 * i);
  return text;
}

std::int64_t or_else(std::int64_t given, std::size_t otherwise) {
  return given < 0 ? static_cast<std::int64_t>(otherwise) : given;
}

/// The fields that the local header and the directory entry share: from flags to the lengths of name and extra field.
std::string common_part(const ZipMember& member, std::size_t extra_bytes) {
  const auto packed = static_cast<std::uint64_t>(or_else(member.packed_bytes, member.bytes.size()));
  const auto claimed = static_cast<std::uint64_t>(or_else(member.bytes_claimed, member.bytes.size()));
  return little(static_cast<std::uint64_t>(member.flags), 2) + little(static_cast<std::uint64_t>(member.method), 2) +
         little(0, 4) + little(member.crc, 4) + little(packed, 4) + little(claimed, 4) + little(member.name.size(), 2) +
         little(extra_bytes, 2);
}

std::uint32_t crc_after(std::uint32_t crc, const std::string& bytes) {
  return static_cast<std::uint32_t>(
      ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

}  // namespace

std::string tar_entry(const TarEntry& entry) {
  std::string header(kTarBlock, '\0');
  put(header, 0, entry.name.substr(0, 100));
  put(header, 100, "0000644");
  put(header, 124, entry.size.empty() ? octal(entry.bytes.size(), 11) : entry.size);
  put(header, 136, octal(0, 11));
  put(header, 148, std::string(8, ' '));
  header[156] = entry.type;
  put(header, 157, entry.target.substr(0, 100));
  put(header, 257,
      std::string("ustar\0"
                  "00",
                  8));
  const unsigned sum = std::accumulate(header.begin(), header.end(), 0u,
                                       [](unsigned so_far, char c) { return so_far + static_cast<unsigned char>(c); });
  put(header, 148, octal(sum, 6) + std::string("\0 ", 2));
  return header + entry.bytes + std::string((kTarBlock - entry.bytes.size() % kTarBlock) % kTarBlock, '\0');
}

std::string tar_of(const std::vector<TarEntry>& entries) {
  std::string archive;
  for (const TarEntry& entry : entries) archive += tar_entry(entry);
  return archive + std::string(2 * kTarBlock, '\0');
}

std::string wide_tar_size(std::uint8_t first, std::uint64_t rest) {
  std::string field(1, static_cast<char>(first));
  field += std::string(3, first == 0xFF ? '\xFF' : '\0');
  for (int shift = 56; shift >= 0; shift -= 8) field += static_cast<char>(rest >> shift);
  return field;
}

std::string zip_of(const std::vector<ZipMember>& members) {
  std::string locals, directory;
  for (const ZipMember& member : members) {
    const auto offset = static_cast<std::uint64_t>(or_else(member.offset, locals.size()));
    if (member.has_local_part) {
      locals += "PK\3\4" + little(45, 2) + common_part(member, 0) + member.name + member.bytes;
    }
    directory += "PK\1\2" + little(0x0314, 2) + little(45, 2) + common_part(member, member.extra.size()) +
                 little(0, 6) + little(0100644u << 16, 4) + little(offset, 4) + member.name + member.extra;
  }
  const std::string counts = little(members.size(), 2) + little(members.size(), 2);
  return locals + directory + "PK\5\6" + little(0, 4) + counts + little(directory.size(), 4) +
         little(locals.size(), 4) + little(0, 2);
}

ZipMember stored_member(const std::string& name, const std::string& bytes) {
  return {.name = name, .bytes = bytes, .crc = crc_after(0, bytes)};
}

ZipMember deflated_member(const std::string& name, const std::string& head, std::size_t zeros) {
  ZipMember member = {.name = name, .bytes = compressed(Framing::none, head, zeros), .method = 8};
  member.bytes_claimed = static_cast<std::int64_t>(head.size() + zeros);
  member.crc = crc_after(0, head);
  const std::string piece(1 << 16, '\0');
  for (; zeros > piece.size(); zeros -= piece.size()) member.crc = crc_after(member.crc, piece);
  member.crc = crc_after(member.crc, piece.substr(0, zeros));
  return member;
}

std::string zip64_extra(const std::vector<std::uint64_t>& values) {
  std::string numbers;
  for (const std::uint64_t value : values) numbers += little(value, 8);
  return little(1, 2) + little(numbers.size(), 2) + numbers;
}

}  // namespace octavo::test
