// Files by their paths below a root: those of a folder, or those in an archive.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/byte_stream.hpp"

namespace octavo::files {

/// What is in one folder by name, each list in byte order; hidden names are left out.
struct FolderEntries {
  std::vector<std::string> folders;
  std::vector<std::string> files;
};

/// What to do about an archive that is damaged: its files up to there can be read.
enum class OnDamage { refuse, stop_there };

/// An archive whose files end where it is damaged.
struct DamagedArchive {
  std::filesystem::path path;
  std::string problem;  ///< "Truncated tar archive; what follows its file 7 is lost; get the file again"
};

/// Paths have '/' between names, and none at the ends; the root is the empty path. Safe to use from several threads.
class FileTree {
 public:
  virtual ~FileTree() = default;
  FileTree(const FileTree&) = delete;
  FileTree& operator=(const FileTree&) = delete;

  /// The folder or the archive; of several archives, the first.
  const std::filesystem::path& root() const { return root_; }
  /// The folder or the archives, for the provenance.
  virtual std::vector<std::filesystem::path> roots() const { return {root_}; }
  /// Of the archives, those that are damaged; only where they were opened with OnDamage::stop_there.
  virtual std::vector<DamagedArchive> damaged() const { return {}; }
  /// "photos/cats/1.jpg", or "photos.tar: cats/1.jpg", in quotes, for messages.
  virtual std::string name_of(const std::string& path) const = 0;

  /// Throws IoError if the folder cannot be listed.
  virtual FolderEntries entries(const std::string& folder) const = 0;
  /// All files below `folder`, as paths below it: folders in byte order of their paths, files in byte order of their
  /// names, which is the order of torchvision's ImageFolder. A folder that links lead to again is listed once.
  virtual std::vector<std::string> files_below(const std::string& folder) const = 0;
  virtual bool has_file(const std::string& path) const = 0;

  /// The bytes of a file, for reading at leisure.
  virtual std::unique_ptr<ByteStream> open(const std::string& path) const = 0;
  /// The whole file; refuses more than `largest` bytes. Meant for many small files, in about the order of
  /// reading_rank(). Throws FormatError, IoError.
  virtual std::string read_whole(const std::string& path, std::int64_t largest) const = 0;
  /// Files are read fastest in ascending order of this number; equal where the order does not matter.
  virtual std::int64_t reading_rank(const std::string& path) const = 0;
  /// Where the file lies on disk, if it is a file of its own.
  virtual std::optional<std::filesystem::path> disk_path(const std::string& path) const = 0;
  /// The file on disk that holds the file: itself, or the archive.
  std::filesystem::path file_of(const std::string& path) const { return disk_path(path).value_or(root_); }

 protected:
  explicit FileTree(std::filesystem::path root) : root_(std::move(root)) {}

 private:
  std::filesystem::path root_;
};

/// The files below a folder. Links are followed; what is neither folder nor regular file counts as a file.
std::shared_ptr<const FileTree> open_folder(const std::filesystem::path& folder);

/// Whether `path` begins as an archive does that open_archive() reads: tar (plain, or compressed with gzip, bzip2, xz
/// or zstd) or zip. Throws IoError.
bool is_archive(const std::filesystem::path& path);

/// The files in a tar or zip archive. They are only ever read, never unpacked, so that their names cannot lead
/// anywhere; links, devices, hidden files and names that lead upwards are left out. Of several files of one name the
/// last counts. Throws FormatError if the archive is damaged (even with OnDamage::stop_there, if that is before its
/// first file) or claims more than `largest_ratio` times its own bytes, IoError if it cannot be read, Unavailable if
/// this build has no libarchive.
std::shared_ptr<const FileTree> open_archive(const std::filesystem::path& archive, std::int64_t largest_ratio,
                                             OnDamage on_damage = OnDamage::refuse);

/// Several trees as folders of one tree, each by the name of its root. Throws InvalidArgument if two have one name.
std::shared_ptr<const FileTree> unite(std::vector<std::shared_ptr<const FileTree>> trees);

/// "a/b", or "b" where the folder is the root.
std::string join_path(const std::string& folder, const std::string& name);

}  // namespace octavo::files
