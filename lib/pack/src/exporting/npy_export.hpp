// Exporting as NumPy arrays: one file of images and one of labels a split.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/export.hpp>

namespace octavo::exporting {

/// The header of a .npy file, version 1.0, whose data follow it: of C order, and of a type such as "|u1" or "<f4".
std::string npy_header(std::string_view type, const std::vector<std::int64_t>& shape);

/// Writes <split>-images.npy (uint8 [N,C,H,W]) and, where there are labels, <split>-labels.npy (int32 [N], int32 [N,K]
/// or float32 [N,K]) of every split into `folder`. They get their headers once all of them are on the disk. Throws
/// FormatError if a sample is damaged, IoError.
void export_npy(const Dataset& dataset, const std::filesystem::path& folder, const ExportOptions& options);

}  // namespace octavo::exporting
