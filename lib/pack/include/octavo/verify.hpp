// Checking every byte of a dataset file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <octavo/progress.hpp>

namespace octavo {

/// Something wrong with a file.
struct Defect {
  std::string where;                 ///< "header", "/index", "/train/labels", "/train/images sample 17"
  std::string what;                  ///< what is wrong
};

/// What verify() found.
struct VerifyResult {
  std::vector<Defect> defects;       ///< empty: the file is whole. At most 1,000 are listed.
  std::int64_t defect_count = 0;     ///< all of them
  std::int64_t checked_bytes = 0;
  std::int64_t checked_samples = 0;
  bool hdf5_checked = false;         ///< the HDF5 attributes were compared with the index, in a child process
};

struct VerifyOptions {
  int thread_count = 0;              ///< 0: all that this process may use
  bool with_hdf5 = true;             ///< also compare what HDF5 programs see with the index, in a child process
  ProgressFunction on_progress = {};
};

/// Checks every byte of `path`: header, index, metadata, every small dataset, every sample, and that the statistics
/// follow from the samples. A flip of any bit is found. Damage is returned, not thrown. Throws IoError if the file cannot be read.
VerifyResult verify(const std::filesystem::path& path, const VerifyOptions& options = {});

}  // namespace octavo
