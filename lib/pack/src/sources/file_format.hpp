// What a file is that was named as a source, by its content; its name breaks ties.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <octavo/pack.hpp>

#include "files/open_archives.hpp"

namespace octavo::sources {

/// The format of a file that was named as a source. Throws FormatError or InvalidArgument, naming it and what to do, if
/// it is none that is read.
SourceFormat format_of_file(const std::filesystem::path& path, files::OpenArchives& archives);

/// `octavo`, `hdf5` or `mat`: files that are read on disk only, and may hold several splits. Nothing for others.
std::optional<SourceFormat> container_format(files::ByteStream& stream);

/// `npy`, `idx`, `stl10`, `cifar10` or `cifar100`: files of arrays, wherever they lie. Nothing for others.
std::optional<SourceFormat> array_format(const files::FileTree& tree, const std::string& path);

/// `cifar10` or `cifar100`, nothing for others.
std::optional<SourceFormat> cifar_format(files::ByteStream& stream);

/// A single image makes no dataset: throws InvalidArgument with the folder that was meant if `path` is named as one.
void refuse_one_image(const std::filesystem::path& path);

}  // namespace octavo::sources
