// Sending a dataset file that another program changed from a child process, where the HDF5 library reads it.
//
// The messages: first two kDescription, a JSON object that describes the file, and the bytes of /provenance. Then, for
// each split in the order of the description, kColumns if present, then the rows in blocks of rows_per_block(): kCodes,
// kLabels if present, kMasks if present, kChecksums if present, and kNames (each ending with a zero byte) if present.
#pragma once

#include <cstdint>
#include <filesystem>

#include "hdf5/child_process.hpp"

namespace octavo::dataset_file {

inline constexpr char kDescription = 'd';
inline constexpr char kCodes = 'c';
inline constexpr char kLabels = 'l';
inline constexpr char kMasks = 'm';
inline constexpr char kChecksums = 's';
inline constexpr char kNames = 'n';
inline constexpr char kColumns = 'j';

/// The number of rows of the given size per message: about 1 MiB, at least one row, and few enough for their names.
std::int64_t rows_per_block(std::int64_t row_bytes);

/// Sends the file at `path`. Call it in a child process. Throws FormatError if it is not a dataset file, refers to
/// other files, or has types or shapes that a dataset file does not have.
void send_foreign_file(const std::filesystem::path& path, const hdf5::ChildOutput& output);

}  // namespace octavo::dataset_file
