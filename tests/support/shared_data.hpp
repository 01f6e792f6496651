// Real image data that developers may have next to the checkout. Without it, tests that use it are counted as skipped.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace octavo::test {

/// `name` in the folder of development data next to the checkout, if it exists.
inline std::optional<std::filesystem::path> shared_data(const std::string& name) {
  const auto path = std::filesystem::path(OCTAVO_SOURCE_DIR).parent_path() / "shared" / "data" / name;
  if (std::filesystem::exists(path)) return path;
  return std::nullopt;
}

/// `name` in the project's own data folder.
inline std::filesystem::path project_data(const std::string& name) {
  return std::filesystem::path(OCTAVO_SOURCE_DIR) / "data" / name;
}

}  // namespace octavo::test
