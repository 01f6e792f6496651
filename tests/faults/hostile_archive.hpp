// Tar and zip archives written byte by byte, so that they can lie.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace octavo::test {

/// A tar entry to be made. Fields are written as they are given here, whether they make sense or not.
struct TarEntry {
  std::string name;
  std::string bytes = {};
  char type = '0';          ///< 0 file, 1 hard link, 2 symbolic link, 3 and 4 devices, 5 folder, 6 pipe, x pax header
  std::string target = {};  ///< of a link
  std::string size = {};    ///< the field of 12 bytes; empty: the length of `bytes` in octal digits
};

/// Its header, of the ustar kind, and its bytes.
std::string tar_entry(const TarEntry& entry);
/// Entries, and the two empty blocks at the end.
std::string tar_of(const std::vector<TarEntry>& entries);
/// A size as GNU tar writes those beyond 8 GiB: a number of 95 bits, perhaps below zero.
std::string wide_tar_size(std::uint8_t first, std::uint64_t rest);

/// A zip member to be made. What is not said is what `bytes`, as they are stored, make true.
struct ZipMember {
  std::string name;
  std::string bytes = {};
  int method = 0;  ///< 0 stored, 8 deflated
  int flags = 0;
  std::uint32_t crc = 0;
  std::int64_t packed_bytes = -1;  ///< as the directory says
  std::int64_t bytes_claimed = -1;
  std::string extra = {};      ///< of the directory
  std::int64_t offset = -1;    ///< of its local header, as the directory says
  bool has_local_part = true;  ///< false: the directory alone names it
};

/// A member that is what it says.
ZipMember stored_member(const std::string& name, const std::string& bytes);
/// Likewise, deflated: `head` and so many zeros.
ZipMember deflated_member(const std::string& name, const std::string& head, std::size_t zeros);

/// Members, directory, end record.
std::string zip_of(const std::vector<ZipMember>& members);
/// The extra field of zip64: sizes and offset in 64 bits.
std::string zip64_extra(const std::vector<std::uint64_t>& values);

}  // namespace octavo::test
