// The record that a preloaded program left of what it did to files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "preload/trace.hpp"

namespace octavo::test {

/// One call that changed files (preload/trace.hpp says what the fields mean).
struct DiskChange {
  faults::Change change;
  std::uint64_t file = 0;
  std::int64_t offset = 0;
  std::int64_t length = 0;
  std::string name1;
  std::string name2;
  std::vector<std::byte> data;
};

/// All changes in the order in which they were made. Throws std::runtime_error if the record is cut short.
std::vector<DiskChange> read_trace(const std::filesystem::path& path);

}  // namespace octavo::test
