// Reads the record of file changes that a preloaded program wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "../preload/trace.hpp"

namespace octavo::test {

/// One call that changed files. The fields are described in preload/trace.hpp.
struct DiskChange {
  faults::Change change;
  std::uint64_t file = 0;
  std::int64_t offset = 0;
  std::int64_t length = 0;
  std::string name1;
  std::string name2;
  std::vector<std::byte> data;
};

/// Returns all changes in order. Throws std::runtime_error if the record is truncated.
std::vector<DiskChange> read_trace(const std::filesystem::path& path);

}  // namespace octavo::test
