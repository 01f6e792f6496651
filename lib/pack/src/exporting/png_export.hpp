// Exports PNG images: one per sample, in one folder per class.
#pragma once

#include <filesystem>

#include <octavo/export.hpp>

namespace octavo::exporting {

/// Writes every sample of `dataset` and octavo.json into `folder`, which must be empty. Throws InvalidArgument if a
/// split has neither 1 nor 3 channels, FormatError if a sample is damaged, IoError.
void export_png(const Dataset& dataset, const std::filesystem::path& folder, const ExportOptions& options);

}  // namespace octavo::exporting
