// Output files that appear complete or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace octavo {

/// Throws InvalidArgument if write_output_file() would refuse `path`: it is a folder, a link, a device or a pipe, or it
/// exists and `replace_existing` is off. Call this before work whose result would be lost.
void check_output_file(const std::filesystem::path& path, bool replace_existing);

/// Writes a file under a temporary name in the same folder and renames it when it is complete. Throws what
/// check_output_file() throws; IoError if the file cannot be written, and then leaves nothing behind.
void write_output_file(const std::filesystem::path& path, std::span<const std::byte> bytes, bool replace_existing);

}  // namespace octavo
