// The files in an archive, as the folders that unpacking it would make.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "files/file_tree.hpp"

namespace octavo::files {

/// One file in an archive.
struct Member {
  std::int64_t number = 0;  ///< its index among all entries of the archive
  std::int64_t bytes = 0;   ///< as declared; -1 if the archive does not declare it
};

/// Links that lead nowhere, in a loop, or outside the archive.
struct LostLinks {
  std::int64_t count = 0;
  std::string first;  ///< "a/b.png -> ../../etc/passwd"
};

/// Files and links that a later entry with the same path replaced.
struct ReplacedEntries {
  std::int64_t count = 0;
  std::string first;  ///< "a/b.png"
};

/// Entries are added in the order of the archive, and each acts as in unpacking: it replaces an earlier one with the
/// same path, and a path that leads through a symbolic link leads to the link's folder. All entries are kept, since
/// links may lead to hidden ones, but only visible ones are listed. Listing is thread-safe.
class MemberList {
 public:
  /// Adds a file by its name in the archive. Returns false, and adds nothing, if the name has a part "..", or none.
  bool add(const std::string& name, Member member);
  void add_folder(const std::string& name);
  /// Adds another name of the file (or symbolic link) that is named `target` from the root of the archive, as it is
  /// now; if there is none yet, of the one that is there in the end.
  void add_hard_link(const std::string& name, const std::string& target);
  /// Adds a symbolic link. `target` is relative to the link's folder; it may be added later.
  void add_symlink(const std::string& name, const std::string& target);
  /// Decides where links lead; call it after the last entry. Throws FormatError, without the archive's name, if
  /// following the links takes far longer than reading them.
  void resolve_links();

  const LostLinks& lost_links() const { return lost_links_; }
  const ReplacedEntries& replaced_entries() const { return replaced_entries_; }
  /// Whether a file may have several paths, after resolve_links().
  bool is_shared(const Member& member) const { return has_folder_links_ || shared_.contains(member.number); }
  /// The approximate memory use; names deep in folders need far more than their length.
  std::int64_t held_bytes() const { return held_bytes_; }

  /// The member with that path, or null.
  const Member* find(const std::string& path) const;
  FolderEntries entries(const std::string& folder) const;
  /// As FileTree::files_below(). Throws FormatError, without the archive's name, if paths through links are too long,
  /// or list the same files far too often.
  std::vector<std::string> files_below(const std::string& folder) const;
  /// The path without links; nothing if a link in it leads nowhere.
  std::optional<std::string> real_path(const std::string& path) const;

 private:
  /// The visible entries of one folder, in byte order, whatever the order in the archive.
  struct Folder {
    std::set<std::string> folders, files;
  };
  struct Symlink {
    std::string target;
    std::optional<std::string> real;  ///< the path of the file or folder to which it leads; set by resolve_links()
  };
  /// A hard link whose target was missing.
  struct LateHardLink {
    std::string target;  ///< as in the archive, for messages
    std::string path;    ///< of the target
  };

  void insert(std::set<std::string>& names, const std::string& name);
  Folder& folder(const std::string& path);
  std::string enter_folders(const std::vector<std::string>& parts);
  void count_replaced(const std::string& path);
  void remove(const std::string& path);
  void put(const std::string& path, Member member);
  void put(const std::string& path, const Symlink& link);
  bool put_same(const std::string& path, const std::string& target);
  std::optional<std::string> follow(std::string folder, std::string_view path);
  void resolve_hard_links();
  void show_symlink(const std::string& path, Symlink& link);
  void lose(const std::string& path, const std::string& target);
  void charge_listing(const std::string& path, const FolderEntries& found) const;

  std::unordered_map<std::string, Member> members_;
  std::map<std::string, Folder> folders_ = {{"", {}}};   ///< by path
  std::map<std::string, Symlink> symlinks_;              ///< by path
  std::map<std::string, LateHardLink> late_hard_links_;  ///< by path
  std::unordered_set<std::int64_t> shared_;              ///< the numbers of members with several paths
  bool has_folder_links_ = false;
  LostLinks lost_links_;
  ReplacedEntries replaced_entries_;
  std::int64_t held_bytes_ = 0;
  std::int64_t steps_left_ = 0;  ///< the parts of paths that may still be followed, in addition to a constant
  std::int64_t most_listed_bytes_ = 0;
  /// The sum of the lists that files_below() has made, if there are links to folders. Allocated, so that a list can be
  /// moved.
  std::unique_ptr<std::atomic<std::int64_t>> listed_bytes_ = std::make_unique<std::atomic<std::int64_t>>(0);
};

}  // namespace octavo::files
