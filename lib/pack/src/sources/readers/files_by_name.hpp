// Finding files of arrays in a folder or archive by name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sources/source_entry.hpp"
#include "sources/source_reader.hpp"

namespace octavo::sources {

/// All functions look only for files of the format `wanted`, unless it is null. They throw InvalidArgument if two
/// files of one kind look like the same split; FormatError if a file among others is damaged.

/// Files with the well-known names of a format, in a folder, or in its only subfolder, as in many archives.
std::vector<SourceEntry> well_known_files(const std::shared_ptr<const files::FileTree>& tree,
                                          const SourceReader* wanted);

/// .npy and .npz files, in the same places.
std::vector<SourceEntry> numpy_files(const std::shared_ptr<const files::FileTree>& tree, const SourceReader* wanted);
/// Whether there may be such files, judging by names alone.
bool may_hold_numpy_files(const files::FileTree& tree, const SourceReader* wanted);

/// HDF5, MATLAB and dataset files of a folder on disk; they cannot be read from an archive.
std::vector<SourceEntry> container_files(const std::shared_ptr<const files::FileTree>& tree,
                                         const SourceReader* wanted);
/// The files with such names.
std::vector<std::string> names_of_containers(const files::FileTree& tree, const SourceReader* wanted);

/// A file with the split in its name, or train.
SourceEntry finding_of(const std::shared_ptr<const files::FileTree>& tree, const std::string& path,
                       const SourceReader* reader);

/// The files of a folder with such names, in natural order, without compressed files that also exist uncompressed.
std::vector<std::string> files_named(const files::FileTree& tree, const std::string& folder,
                                     const std::function<bool(const std::string&)>& is_named);

/// In the order train, val, test, others.
void sort_by_split(std::vector<SourceEntry>& entries);

/// Throws FormatError: the file is not what its name suggests. Skipping it could silently drop a damaged file's data.
[[noreturn]] void refuse_misnamed(const files::FileTree& tree, const std::string& path, const std::string& kind);

}  // namespace octavo::sources
