// Checking every byte of a dataset file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/progress.hpp>

namespace octavo {

/// One problem found in a file.
struct Defect {
  std::string where;  ///< "header", "/index", "/train/labels", "/train/images sample 17"
  std::string what;   ///< what is wrong
  /// The stored name of the sample, its path within the source: "cats/17.png"; of a chunk, the names of its first and
  /// last sample: "cats/1.png to cats/9.png". Empty if the defect is of no sample, or its name is not stored or
  /// damaged.
  std::string sample_name = {};
};

/// The place, with the name of the sample: "/train/images sample 17 ("cats/17.png")".
std::string describe_place(const Defect& defect);

/// What verify() found.
struct VerifyResult {
  std::vector<Defect> defects;    ///< the first 1,000 defects; empty if the file is intact
  std::int64_t defect_count = 0;  ///< the total number of defects
  std::int64_t checked_bytes = 0;
  std::int64_t checked_samples = 0;
  bool hdf5_checked = false;  ///< true if the HDF5 attributes were compared with the index
};

struct VerifyOptions {
  int thread_count = 0;   ///< 0: all that this process may use
  bool with_hdf5 = true;  ///< also compare the HDF5 view of the file with the index, in a child process
  ProgressFunction on_progress = {};
};

/// Checks every byte of `path`: header, index, metadata, every small dataset and every sample. Also recomputes the
/// statistics from the samples. Finds any single flipped bit. Damage is returned, not thrown.
/// Throws IoError if the file cannot be read.
VerifyResult verify(const std::filesystem::path& path, const VerifyOptions& options = {});

/// The same for a dataset that is somewhere else: a dataset file or, with `open_shard`, a manifest and the files that
/// it lists. The HDF5 view is not compared, because HDF5 reads only files of this machine.
VerifyResult verify(const std::shared_ptr<const ByteSource>& source, const ShardOpener& open_shard = {},
                    const VerifyOptions& options = {});

}  // namespace octavo
