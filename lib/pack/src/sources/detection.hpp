// Detecting the format of a source file by its content; the name breaks ties.
#pragma once

#include <filesystem>

#include "sources/file_start.hpp"
#include "sources/source_reader.hpp"

namespace octavo::sources {

/// The reader of a source file. Throws FormatError or InvalidArgument, naming the file and what to do, if the format is
/// not supported.
const SourceReader& detect_reader(const FileStart& start);

/// A single image is not a dataset: throws InvalidArgument, suggesting its folder, if `path` is named like an image.
void refuse_one_image(const std::filesystem::path& path);

/// Throws FormatError if the file is an archive of a kind that is not read, such as RAR or 7z, or a part of a zip
/// archive, with what to do.
void refuse_other_archive(const FileStart& start);

/// Throws FormatError if the file is a MATLAB 4 file, with what to do. Those have no signature: the name must end in
/// .mat.
void refuse_mat4(const FileStart& start);

/// Throws FormatError if the file is a Python pickle, with the command that packs published pickles.
void refuse_pickle(const FileStart& start);

}  // namespace octavo::sources
