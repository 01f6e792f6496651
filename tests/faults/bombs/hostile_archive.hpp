// Tar and zip archives written byte by byte, so that their fields can be wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace octavo::test {

/// A tar entry to write. Fields are written as given, whether they are valid or not.
struct TarEntry {
  std::string name;
  std::string bytes = {};
  char type = '0';          ///< 0 file, 1 hard link, 2 symbolic link, 3 and 4 devices, 5 folder, 6 pipe, x pax header
  std::string target = {};  ///< target of a link
  std::string size = {};    ///< the 12-byte size field; empty: the length of `bytes` in octal digits
};

/// The ustar header of the entry, followed by its bytes.
std::string tar_entry(const TarEntry& entry);
/// The entries, followed by two empty blocks.
std::string tar_of(const std::vector<TarEntry>& entries);
/// A size in the format of GNU tar for sizes beyond 8 GiB: a signed 95-bit number.
std::string wide_tar_size(std::uint8_t first, std::uint64_t rest);

/// A zip member to write. Fields with default values match `bytes`, which are stored as given.
struct ZipMember {
  std::string name;
  std::string bytes = {};
  int method = 0;  ///< 0 stored, 8 deflated
  int flags = 0;
  std::uint32_t crc = 0;
  std::int64_t packed_bytes = -1;  ///< packed size in the directory
  std::int64_t bytes_claimed = -1;
  std::string extra = {};      ///< extra field in the directory
  std::int64_t offset = -1;    ///< offset of the local header in the directory
  bool has_local_part = true;  ///< false: the member appears only in the directory
};

/// An uncompressed member with correct fields.
ZipMember stored_member(const std::string& name, const std::string& bytes);
/// A deflated member with correct fields: `head` followed by `zeros` zeros.
ZipMember deflated_member(const std::string& name, const std::string& head, std::size_t zeros);

/// A zip archive: the members, the directory and the end record.
std::string zip_of(const std::vector<ZipMember>& members);
/// A zip64 extra field: sizes and offset in 64 bits.
std::string zip64_extra(const std::vector<std::uint64_t>& values);

}  // namespace octavo::test
