// Reading a dataset file that another program changed, with the HDF5 library in a child process: what the child sends.
//
// First two messages kDescription: a JSON object with what the file is, and the bytes of /provenance. Then, split by
// split in the order of that description, the rows in blocks of rows_per_block(): kCodes, kLabels if there are any,
// kChecksums if they are there, and kNames (each ended by a zero byte) if there are any.
#pragma once

#include <cstdint>
#include <filesystem>

#include "hdf5/child_process.hpp"

namespace octavo::dataset_file {

inline constexpr char kDescription = 'd';
inline constexpr char kCodes = 'c';
inline constexpr char kLabels = 'l';
inline constexpr char kChecksums = 's';
inline constexpr char kNames = 'n';

/// Rows of so many bytes each that are sent at once: about 1 MiB, at least one, and few enough for their names.
std::int64_t rows_per_block(std::int64_t row_bytes);

/// Sends the file at `path`. To be called in a child process. Throws FormatError if it is no dataset file, refers to
/// other files, or is made of types and shapes that a dataset file does not have.
void send_foreign_file(const std::filesystem::path& path, const hdf5::ChildOutput& output);

}  // namespace octavo::dataset_file
