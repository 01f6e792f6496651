// Writing the samples of a dataset file back as images or arrays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <octavo/dataset.hpp>
#include <octavo/progress.hpp>

namespace octavo {

enum class ExportFormat {
  png,  ///< one lossless PNG a sample, in a folder a class, and octavo.json, which packing reads to restore everything
  npy,  ///< <split>-images.npy (uint8 [N,C,H,W]) and <split>-labels.npy
};

struct ExportOptions {
  ExportFormat format = ExportFormat::png;
  int thread_count = 0;  ///< 0: all that this process may use
  ProgressFunction on_progress = {};
};

/// Writes every sample of `dataset` below `folder`, which must not exist or be empty: the values are, byte for byte,
/// those that were packed; what they stand for (ChannelQuantization), sample names and provenance are not written. PNG
/// wants 1 or 3 channels. Throws InvalidArgument for a folder that holds something, FormatError if a sample is damaged,
/// IoError. What was written is removed again if it fails; of what a killed process leaves, octavo.json, or a .npy file,
/// is not whole, so that packing refuses it. Once done, all is on the disk.
void export_dataset(const Dataset& dataset, const std::filesystem::path& folder, const ExportOptions& options = {});

}  // namespace octavo
