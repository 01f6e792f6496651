// All that a dataset file serves when it is read with its checksums compared.
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

/// Reads every split. Throws what opening and reading throw.
ServedData serve_file(const std::filesystem::path& path);

/// Whether the file is read without an error, and gives a split that is none of `expected`.
bool serves_other_data(const std::filesystem::path& path, const ServedData& expected);

}  // namespace octavo::test
