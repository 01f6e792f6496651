// Rebuilding a dataset file after another HDF5 program changed it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <octavo/progress.hpp>

namespace octavo {

struct ReindexOptions {
  bool accept_changes = false;  ///< keep samples and labels that differ from their checksums
  bool replace_existing = false;
  ProgressFunction on_progress = {};
};

/// What reindex() did.
struct ReindexSummary {
  std::int64_t sample_count = 0;
  std::int64_t changed_samples = 0;  ///< samples that differ from their checksum; 0 without accept_changes
  /// Objects and attributes that are not part of a dataset file, so that they were not copied: "/train/features",
  /// "/train, attribute note". Of more than 100, the first 100 and "23 more".
  std::vector<std::string> left_out = {};
};

/// Reads `path` with the HDF5 library, in a child process with memory and time limits, and writes its samples to the
/// new dataset file `new_path`. Throws FormatError if `path` is not a dataset file, refers to other files, or has
/// changed samples and accept_changes is off.
ReindexSummary reindex(const std::filesystem::path& path, const std::filesystem::path& new_path,
                       const ReindexOptions& options = {});

}  // namespace octavo
