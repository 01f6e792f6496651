// The readers of source formats. A new format is its own file, which defines a reader, with its name in two lines here:
// its declaration, and its entry in the table.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/pack.hpp>

#include "files/file_tree.hpp"
#include "sources/file_start.hpp"
#include "sources/opened.hpp"
#include "sources/readers/array_container.hpp"
#include "sources/source_entry.hpp"

namespace octavo::sources {

/// How a format is found in a folder or an archive. Readers whose names coincide are tried together.
enum class FoundBy {
  images,           ///< by images, where nothing else is found
  image_list,       ///< by tables that list the images next to them (see list_discovery.hpp)
  archive,          ///< by the extension of an archive, which is searched as a folder is
  well_known_name,  ///< by a name that only this format uses, next to other files
  extension,        ///< by an extension that other programs use too: only in folders without images
  disk_extension,   ///< the same, for libraries that can read only files on disk
};

/// What the names after a path mean, FILE::NAME::NAME.
enum class PathNames {
  none,    ///< there are none
  split,   ///< the first one is a split
  arrays,  ///< those of the images, and of their labels
};

/// What opening depends on in addition to the entry.
struct OpenContext {
  const SourceOptions& options;
  bool is_alone = true;  ///< there is no other source
};

/// Reads one format. All functions throw FormatError, IoError or InvalidArgument, naming the file.
struct SourceReader {
  std::string_view name;                      ///< "idx": as users name the format, and as provenance records it
  std::array<std::string_view, 2> aliases{};  ///< other names for it; the rest is empty
  std::string_view kind;                      ///< "an IDX file", for messages
  /// Whether a file has this format, by its contents. Null: found by its name alone, or otherwise.
  bool (*looks_like)(const FileStart& start) = nullptr;
  /// Whether an archive is a file of this format, as .npz files are zip archives. Null: none is.
  bool (*is_archive)(const files::FileTree& archive) = nullptr;
  // In folders and archives:
  FoundBy found_by = FoundBy::images;
  bool (*is_named)(const std::string& name) = nullptr;  ///< whether a file is named like images of this format
  bool (*is_input)(const FileStart& start) = nullptr;   ///< whether a file with such a name holds images; null: yes
  bool has_many_files_per_split = false;                ///< otherwise, two files of one split are an error
  bool (*may_hold_splits)(const std::string& path) = nullptr;  ///< whether a file names its splits itself; null: no
  PathNames names = PathNames::none;
  bool reads_stream = false;  ///< open() and open_container() take the stream that detection has opened
  /// Opens an entry. Null: entries of this format are those of its members.
  Opened (*open)(SourceEntry& entry, const OpenContext& context) = nullptr;
  /// Lists the arrays of a file, which may also be labels alone. Null: such files do not hold labels alone.
  std::unique_ptr<ArrayContainer> (*open_container)(SourceEntry& entry) = nullptr;
};

/// For may_hold_splits.
inline bool always(const std::string&) { return true; }

extern const SourceReader kOctavoReader;    // octavo_source.cpp
extern const SourceReader kHdf5Reader;      // hdf5_files.cpp
extern const SourceReader kMatReader;       // mat_files.cpp
extern const SourceReader kArchiveReader;   // archive_files.cpp
extern const SourceReader kNpyReader;       // npy_files.cpp
extern const SourceReader kIdxReader;       // idx_files.cpp
extern const SourceReader kStl10Reader;     // stl10_files.cpp
extern const SourceReader kCifar10Reader;   // cifar_files.cpp
extern const SourceReader kCifar100Reader;  // cifar_files.cpp
extern const SourceReader kListReader;      // list_files.cpp
extern const SourceReader kFolderReader;    // image_folders.cpp

/// In the order in which a file is tried.
inline constexpr std::array kSourceReaders = {&kOctavoReader,   &kHdf5Reader, &kMatReader,   &kArchiveReader,
                                              &kNpyReader,      &kIdxReader,  &kStl10Reader, &kCifar10Reader,
                                              &kCifar100Reader, &kListReader, &kFolderReader};

/// The reader of the format with this name or alias; null for "auto". Throws InvalidArgument if the name is unknown.
const SourceReader* reader_named(std::string_view name);

/// Whether to look for what is `found_by`, if only `wanted` is looked for, or everything if it is null.
bool looks_for(FoundBy found_by, const SourceReader* wanted);

/// The reader of a format whose files are archives, such as .npz, if `archive` is one; else null.
const SourceReader* reader_of_archive(const files::FileTree& archive);

/// "an HDF5 file or a MATLAB file", for messages.
std::string kinds_of(std::span<const SourceReader* const> readers);

/// Whether a file of this format may hold several splits and names them itself.
bool may_hold_splits(const SourceReader& reader, const std::string& path);

}  // namespace octavo::sources
