// Files of arrays that are found in a folder, or an archive, by their names: IDX, STL-10, CIFAR; .npy and .npz; HDF5,
// MATLAB and dataset files.
#pragma once

#include <string>
#include <vector>

#include "sources/lists/discovery.hpp"

namespace octavo::sources {

/// All look for files of the format `wanted` only, unless that is automatic, and throw InvalidArgument if two of one
/// kind look like the same split, FormatError if a file between others was damaged.

/// IDX, STL-10 or CIFAR files in a folder, or in the only folder in it, as archives are made.
std::vector<Finding> well_known_files(const std::shared_ptr<const files::FileTree>& tree, SourceFormat wanted);

/// .npy and .npz files, likewise.
std::vector<Finding> numpy_files(const std::shared_ptr<const files::FileTree>& tree, SourceFormat wanted);
/// Whether there may be some, by the names alone.
bool may_hold_numpy_files(const files::FileTree& tree, SourceFormat wanted);

/// HDF5, MATLAB and dataset files of a folder on disk: only there they can be read.
std::vector<Finding> container_files(const std::shared_ptr<const files::FileTree>& tree, SourceFormat wanted);
/// The files that are named as such.
std::vector<std::string> names_of_containers(const files::FileTree& tree, SourceFormat wanted);

/// Whether the file may hold several splits, which it tells itself.
bool may_hold_splits(SourceFormat format, const std::filesystem::path& path);

/// A file with the split that its name tells, or train.
Finding finding_of(const std::shared_ptr<const files::FileTree>& tree, const std::string& path, SourceFormat format);

/// The files of a folder with such names, in natural order, but for compressed ones that are there uncompressed too.
std::vector<std::string> files_named(const files::FileTree& tree, const std::string& folder,
                                     bool (*is_named)(const std::string&));

/// In the order train, val, test, others.
void sort_by_split(std::vector<Finding>& findings);

/// Throws FormatError: a file is not of the kind that its name tells. To leave it out would lose what it held before it
/// was damaged.
[[noreturn]] void refuse_misnamed(const files::FileTree& tree, const std::string& path, const std::string& kind);

}  // namespace octavo::sources
