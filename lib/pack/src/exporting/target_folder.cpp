#include "exporting/target_folder.hpp"

#include <system_error>

#include <octavo/errors.hpp>

#include "support/file.hpp"

namespace octavo::exporting {
namespace {

namespace fs = std::filesystem;

/// Throws InvalidArgument unless `path` is free or an empty folder.
void ensure_empty(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) return;
  if (error) throw_io_error("look at", path, error.value());
  if (!fs::is_directory(path, error)) {
    throw InvalidArgument("export to " + quoted(path) + ": not a folder; choose one that is new or empty");
  }
  const bool is_empty = fs::is_empty(path, error);
  if (error) throw_io_error("list the folder", path, error.value());
  if (!is_empty) {
    throw InvalidArgument("export to " + quoted(path) +
                          ": the folder is not empty; choose a new one, or empty it first");
  }
}

/// The topmost folder of `path` that does not exist; empty if all exist.
fs::path topmost_missing(const fs::path& path) {
  fs::path so_far;
  for (const fs::path& part : path) {
    so_far /= part;
    std::error_code error;
    if (!part.empty() && !fs::exists(so_far, error)) return so_far;
  }
  return {};
}

}  // namespace

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw_io_error("create the folder", path, error.value());
}

TargetFolder::TargetFolder(fs::path path) : path_(std::move(path)) {
  if (path_.empty()) throw InvalidArgument("export: no folder was given; choose one that is new or empty");
  ensure_empty(path_);
  topmost_made_ = topmost_missing(path_);
  try {
    make_folder(path_);
  } catch (...) {
    std::error_code ignored;
    if (!topmost_made_.empty()) fs::remove_all(topmost_made_, ignored);
    throw;
  }
}

TargetFolder::~TargetFolder() {
  if (is_kept_) return;
  std::error_code ignored;
  if (!topmost_made_.empty()) {
    fs::remove_all(topmost_made_, ignored);
    return;
  }
  for (const auto& entry : fs::directory_iterator(path_, ignored)) {
    std::error_code also_ignored;
    fs::remove_all(entry.path(), also_ignored);
  }
}

}  // namespace octavo::exporting
