// Exporting a dataset file to images or arrays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/progress.hpp>

namespace octavo {

enum class ExportFormat {
  png,  ///< one lossless PNG per sample, and one for its mask, one folder per class, and octavo.json, which lets
        ///< packing restore everything
  npy,  ///< <split>-images.npy (uint8 [N,C,H,W]), <split>-labels.npy and <split>-masks.npy (uint8 [N,H,W]), without
        ///< class names and columns
};

struct ExportOptions {
  ExportFormat format = ExportFormat::png;
  int thread_count = 0;  ///< 0: all that this process may use
  ProgressFunction on_progress = {};
};

struct ExportSummary {
  /// What a user might not expect, a sentence each: that bytes are not source values, and what arrays leave out.
  /// Options as in option_names.hpp.
  std::vector<std::string> notes;
};

/// Writes every sample of `dataset` below `folder`, which must be empty or not exist. The values are the packed bytes,
/// unchanged. ChannelQuantization, sample names and provenance are not written. PNG requires 1 or 3 channels.
/// Returns after everything is synced to disk. On failure, removes what it wrote. A killed process leaves an incomplete
/// octavo.json or .npy file, which packing refuses.
/// Throws InvalidArgument if the folder is not empty; FormatError if a sample is damaged; IoError.
ExportSummary export_dataset(const Dataset& dataset, const std::filesystem::path& folder,
                             const ExportOptions& options = {});

}  // namespace octavo
