// The record of a program's file changes: a header, two names and the data for each call.
#pragma once

#include <cstdint>

namespace octavo::faults {

/// A change on disk. Only successful calls are recorded, in the order in which they ended.
enum class Change : std::uint32_t {
  create,      ///< name 1 is a new file
  write,       ///< `length` bytes at `offset`
  resize,      ///< the file is `length` bytes long
  reserve,     ///< the file is at least `length` bytes long
  sync,        ///< the file is on the disk
  sync_names,  ///< name 1 is a folder whose names are on the disk
  rename,      ///< from name 1 to name 2
  link,        ///< name 2 becomes another name of name 1
  remove,      ///< name 1 is removed
  sync_all,    ///< everything, including names, is on the disk
};

struct TraceHead {
  Change change;
  std::uint32_t name1_bytes;
  std::uint32_t name2_bytes;
  std::uint32_t data_bytes;
  std::uint64_t file;  ///< inode number; 0 for changes of names
  std::int64_t offset;
  std::int64_t length;
};

}  // namespace octavo::faults
