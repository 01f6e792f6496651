#include <octavo/output_file.hpp>

#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include <octavo/errors.hpp>

#include "support/file.hpp"

namespace octavo {

void check_output_file(const std::filesystem::path& path, bool replace_existing) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw InvalidArgument("write " + quoted(path) + ": this is a folder; name a file");
  }
  check_is_plain_or_free(path);
  if (!replace_existing && std::filesystem::exists(path, ignored)) {
    throw InvalidArgument("write " + quoted(path) +
                          ": the file exists; choose another name, or allow replacing it (`force`)");
  }
}

void write_output_file(const std::filesystem::path& path, std::span<const std::byte> bytes, bool replace_existing) {
  check_output_file(path, replace_existing);
  // No other process uses this name.
  std::filesystem::path partial = path;
  partial += "." + std::to_string(::getpid()) + ".partial";
  File file = File::create_new(partial);
  try {
    hide_successor(path, partial);
    file.write_at(0, bytes);
    file.close();
    keep_permissions(path, partial);
    if (::rename(partial.c_str(), path.c_str()) != 0) throw_io_error("rename the finished file to", path, errno);
  } catch (...) {
    ::unlink(partial.c_str());
    throw;
  }
}

}  // namespace octavo
