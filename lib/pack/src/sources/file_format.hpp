// Detecting the format of a source file by its content; the name breaks ties.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <octavo/pack.hpp>

#include "files/open_archives.hpp"

namespace octavo::sources {

/// The format of a source file. Throws FormatError or InvalidArgument, naming the file and what to do, if the format is
/// not supported.
SourceFormat format_of_file(const std::filesystem::path& path, files::OpenArchives& archives);

/// `octavo`, `hdf5` or `mat`: files that are read only from disk and may hold several splits. Nothing for others.
std::optional<SourceFormat> container_format(files::ByteStream& stream);

/// `npy`, `idx`, `stl10`, `cifar10` or `cifar100`: files of arrays, on disk or in an archive. Nothing for others.
std::optional<SourceFormat> array_format(const files::FileTree& tree, const std::string& path);

/// `cifar10` or `cifar100`, nothing for others.
std::optional<SourceFormat> cifar_format(files::ByteStream& stream);

/// A single image is not a dataset: throws InvalidArgument, suggesting its folder, if `path` is named like an image.
void refuse_one_image(const std::filesystem::path& path);

}  // namespace octavo::sources
