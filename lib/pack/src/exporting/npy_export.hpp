// Exports NumPy arrays: per split, one file of images and one of labels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/export.hpp>

namespace octavo::exporting {

/// The header of a .npy file, version 1.0, for data in C order. `type` is a dtype such as "|u1" or "<f4".
std::string npy_header(std::string_view type, const std::vector<std::int64_t>& shape);

/// For every split, writes <split>-images.npy (uint8 [N,C,H,W]) and, if there are labels, <split>-labels.npy (int32
/// [N], int32 [N,K] or float32 [N,K]) into `folder`. The headers are written after all data is on disk. Throws
/// FormatError if a sample is damaged, IoError.
void export_npy(const Dataset& dataset, const std::filesystem::path& folder, const ExportOptions& options);

}  // namespace octavo::exporting
