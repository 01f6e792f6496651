// Taking over a dataset file that another HDF5 program changed.
#pragma once

#include <cstdint>
#include <filesystem>

#include <octavo/progress.hpp>

namespace octavo {

struct ReindexOptions {
  bool accept_changes = false;       ///< take over samples and labels that differ from their checksums
  bool replace_existing = false;
  ProgressFunction on_progress = {};
};

/// What reindex() did.
struct ReindexSummary {
  std::int64_t sample_count = 0;
  std::int64_t changed_samples = 0;  ///< that differ from their checksum; not 0 only with accept_changes
};

/// Reads `path` with the HDF5 library, in a child process with limits on memory and time, and writes its samples as a
/// new dataset file `new_path`. Throws FormatError if the file is no dataset file, refers to other files, or has changed
/// samples without accept_changes.
ReindexSummary reindex(const std::filesystem::path& path, const std::filesystem::path& new_path,
                       const ReindexOptions& options = {});

}  // namespace octavo
