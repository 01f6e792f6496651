// The readers of source formats that are files. A new format is its own file, which defines a reader, and two lines
// here.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/array_set.hpp"
#include "sources/array_container.hpp"
#include "sources/file_start.hpp"
#include "sources/finding.hpp"

namespace octavo::sources {

/// How files of a format are found in a folder or an archive. Readers whose names coincide are tried together.
enum class FoundBy {
  argument,         ///< only if the user names the file
  well_known_name,  ///< by a name that only this format uses, next to other files
  extension,        ///< by an extension that other programs use too: only in folders without images
  disk_extension,   ///< the same, for libraries that can read only files on disk
};

/// Reads one format. All functions throw FormatError, IoError or InvalidArgument, naming the file.
struct SourceReader {
  std::string_view name;                      ///< "idx": as users name the format, and as provenance records it
  std::array<std::string_view, 2> aliases{};  ///< other names for it; the rest is empty
  std::string_view kind;                      ///< "an IDX file", for messages
  /// Whether a file has this format, by its contents. Null: found by its name alone, or otherwise.
  bool (*looks_like)(const FileStart& start) = nullptr;
  // In folders and archives:
  FoundBy found_by = FoundBy::argument;
  bool (*is_named)(const std::string& name) = nullptr;  ///< whether a file is named like images of this format
  bool (*is_input)(const FileStart& start) = nullptr;   ///< whether a file with such a name holds images; null: yes
  bool has_many_files_per_split = false;                ///< otherwise, two files of one split are an error
  bool (*may_hold_splits)(const std::string& path) = nullptr;  ///< whether a file names its splits itself; null: no
  /// Opens the arrays of a file. Null: the file does not hold plain arrays.
  std::vector<arrays::ArraySet> (*open)(Finding& finding) = nullptr;
  /// Lists the arrays of a file, which may also be labels alone. Null: such files do not hold labels alone.
  std::unique_ptr<ArrayContainer> (*open_container)(Finding& finding) = nullptr;
};

/// For may_hold_splits.
inline bool always(const std::string&) { return true; }

extern const SourceReader kOctavoReader;    // octavo_source.cpp
extern const SourceReader kHdf5Reader;      // hdf5_files.cpp
extern const SourceReader kMatReader;       // mat_files.cpp
extern const SourceReader kArchiveReader;   // discovery.cpp
extern const SourceReader kNpyReader;       // npy_files.cpp
extern const SourceReader kIdxReader;       // idx_files.cpp
extern const SourceReader kStl10Reader;     // stl10_files.cpp
extern const SourceReader kCifar10Reader;   // cifar_files.cpp
extern const SourceReader kCifar100Reader;  // cifar_files.cpp
extern const SourceReader kListReader;      // lists/image_table.cpp
extern const SourceReader kFolderReader;    // discovery.cpp

/// In the order in which a file is tried.
inline constexpr std::array kSourceReaders = {&kOctavoReader,   &kHdf5Reader, &kMatReader,   &kArchiveReader,
                                              &kNpyReader,      &kIdxReader,  &kStl10Reader, &kCifar10Reader,
                                              &kCifar100Reader, &kListReader, &kFolderReader};

/// The reader of the format with this name or alias; null for "auto". Throws InvalidArgument if the name is unknown.
const SourceReader* reader_named(std::string_view name);

/// "an HDF5 file or a MATLAB file", for messages.
std::string kinds_of(std::span<const SourceReader* const> readers);

/// Whether a file of this format may hold several splits and names them itself.
bool may_hold_splits(const SourceReader& reader, const std::string& path);

}  // namespace octavo::sources
