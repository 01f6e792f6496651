// All data that a dataset file serves when read with its checksums checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace octavo::test {

/// Codes and labels of a split.
struct ServedSplit {
  std::vector<std::int8_t> codes;
  std::vector<std::byte> labels;
  bool operator==(const ServedSplit&) const = default;
};

using ServedData = std::vector<ServedSplit>;

/// Reads every split. Throws the exceptions of opening and reading.
ServedData serve_file(const std::filesystem::path& path);

/// Whether the file is read without an error, but has a split that is not in `expected`.
bool serves_other_data(const std::filesystem::path& path, const ServedData& expected);

}  // namespace octavo::test
