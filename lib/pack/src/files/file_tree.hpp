// Files by their paths below a root: a folder or an archive.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/byte_stream.hpp"

namespace octavo::files {

/// The entries of one folder by name, each list in byte order, without skipped names (skipped_names.hpp).
struct FolderEntries {
  std::vector<std::string> folders;
  std::vector<std::string> files;
};

/// How to handle a damaged archive: refuse it, or read its files up to the damage.
enum class OnDamage { refuse, stop_there };

/// An archive whose files end at the damage.
struct DamagedArchive {
  std::filesystem::path path;
  std::string problem;  ///< "Truncated tar archive; everything after its file 7 is lost; get the file again"
};

/// Paths have '/' between names, but not at the start or end; the root is the empty path. Thread-safe.
class FileTree {
 public:
  virtual ~FileTree() = default;
  FileTree(const FileTree&) = delete;
  FileTree& operator=(const FileTree&) = delete;

  /// The folder or the archive; of several archives, the first.
  const std::filesystem::path& root() const { return root_; }
  /// The folder or the archives, for the provenance.
  virtual std::vector<std::filesystem::path> roots() const { return {root_}; }
  /// The damaged archives; empty unless they were opened with OnDamage::stop_there.
  virtual std::vector<DamagedArchive> damaged() const { return {}; }
  /// What a user might not expect of the archives, for notes.
  virtual std::vector<std::string> remarks() const { return {}; }
  /// The quoted name, for messages: "photos/cats/1.jpg", or "photos.tar: cats/1.jpg".
  virtual std::string name_of(const std::string& path) const = 0;

  /// Throws IoError if the folder cannot be listed.
  virtual FolderEntries entries(const std::string& folder) const = 0;
  /// All files below `folder`, as paths relative to it: folders in byte order of their paths, files in byte order of
  /// their names, as in torchvision's ImageFolder. A folder that is reached through several links is listed once.
  virtual std::vector<std::string> files_below(const std::string& folder) const = 0;
  /// What all paths to a folder have in common, whichever links are in them.
  virtual std::string folder_identity(const std::string& folder) const { return folder; }
  virtual bool has_file(const std::string& path) const = 0;

  /// Opens a file for reading piece by piece.
  virtual std::unique_ptr<ByteStream> open(const std::string& path) const = 0;
  /// Reads a whole file. Meant for many small files, roughly in the order of reading_rank(). Throws FormatError, also
  /// if the file has more than `largest` bytes; IoError.
  virtual std::string read_whole(const std::string& path, std::int64_t largest) const = 0;
  /// Files are read fastest in ascending order of this number; equal numbers mean that the order does not matter.
  virtual std::int64_t reading_rank(const std::string& path) const = 0;
  /// The path of the file on disk, if it is a separate file.
  virtual std::optional<std::filesystem::path> disk_path(const std::string& path) const = 0;
  /// The file on disk that holds the file: itself, or the archive.
  std::filesystem::path file_of(const std::string& path) const { return disk_path(path).value_or(root_); }

 protected:
  explicit FileTree(std::filesystem::path root) : root_(std::move(root)) {}

 private:
  std::filesystem::path root_;
};

/// The files below a folder; the empty path is the current one. Follows links; anything that is not a folder counts as
/// a file.
std::shared_ptr<const FileTree> open_folder(const std::filesystem::path& folder);

/// Whether `path` looks like an archive that open_archive() reads: tar (plain, or compressed with gzip, bzip2, xz or
/// zstd) or zip. Throws IoError.
bool is_archive(const std::filesystem::path& path);

/// The files in a tar or zip archive. They are only read, never unpacked, so their names cannot overwrite anything.
/// Shows what a folder would show into which the archive is unpacked: links lead to files and folders of the archive,
/// but never outside it, and of several files with the same name, the last counts. Devices and names with ".." are left
/// out. A link has the reading rank of its file. Throws FormatError if the archive is encrypted or damaged (with
/// OnDamage::stop_there, only if the damage is before its first file) or claims more than `largest_ratio` times its own
/// bytes; IoError if it cannot be read; Unavailable if this build has no libarchive.
std::shared_ptr<const FileTree> open_archive(const std::filesystem::path& archive, std::int64_t largest_ratio,
                                             OnDamage on_damage = OnDamage::refuse);

/// Several trees as folders of one tree, each named like its root. Throws InvalidArgument if two have the same name.
std::shared_ptr<const FileTree> unite(std::vector<std::shared_ptr<const FileTree>> trees);

/// "a/b", or "b" if the folder is the root.
std::string join_path(const std::string& folder, const std::string& name);

}  // namespace octavo::files
