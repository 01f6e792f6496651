// The files of a cache on disk.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace octavo::test {

inline constexpr std::int64_t kBlock = 131072;                  ///< bytes of a block
inline constexpr std::int64_t kTable = 4096;                    ///< where the seals begin in a cache file
inline constexpr std::int64_t kData = std::int64_t{4} << 20;    ///< where the blocks begin in a small cache file
inline constexpr std::int64_t kPlenty = std::int64_t{1} << 30;  ///< a size that no test fills

/// The cache files of a folder, without its ledger.
inline std::vector<std::filesystem::path> cache_files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".octavo-cache") && !name.starts_with("ledger")) files.push_back(entry.path());
  }
  return files;
}

/// Their space on disk.
inline std::int64_t cache_bytes_in(const std::filesystem::path& folder) {
  std::int64_t bytes = 0;
  for (const auto& file : cache_files_in(folder)) {
    struct stat status {};
    if (::lstat(file.c_str(), &status) == 0) bytes += static_cast<std::int64_t>(status.st_blocks) * 512;
  }
  return bytes;
}

}  // namespace octavo::test
