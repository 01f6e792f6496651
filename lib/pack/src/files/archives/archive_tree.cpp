// The files in an archive.
#include <algorithm>
#include <mutex>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "files/archives/archive_cursor.hpp"
#include "files/archives/member_list.hpp"
#include "files/archives/recent_members.hpp"
#include "files/file_tree.hpp"
#include "support/checked_math.hpp"
#include "support/text/utf8.hpp"

namespace octavo::files {
namespace {

namespace fs = std::filesystem;

// The size that every archive may claim.
constexpr std::int64_t kAlwaysAllowedBytes = std::int64_t{4} << 20;
// The minimum size of an entry before compression, a tar header: an archive can also have millions of empty entries.
constexpr std::int64_t kEntryBytes = 512;
// Memory limits for names: a small amount is always allowed, and more for a large archive. A file's name, with its part
// in each of its folders, rarely needs more than a few times the 100 bytes of the smallest image.
constexpr std::int64_t kAlwaysHeldBytes = std::int64_t{48} << 20;
constexpr std::int64_t kHeldRatio = 16;
constexpr std::size_t kLongestName = 4096;  // PATH_MAX on Linux
// Each file is registered in all folders above it.
constexpr std::ptrdiff_t kDeepestFolder = 128;
constexpr std::size_t kMostShownBytes = 200;  // of a name in a note
constexpr std::int64_t kMemberPieceBytes = std::int64_t{256} << 10;

/// A cursor at entry `number`. Uses `cursor` if it is not null and has not passed the entry.
std::unique_ptr<ArchiveCursor> cursor_at(std::unique_ptr<ArchiveCursor> cursor, const fs::path& path,
                                         std::int64_t number) {
  if (!cursor) cursor = std::make_unique<ArchiveCursor>(path);
  ArchiveEntry entry;
  while (cursor->passed() <= number) {
    if (!cursor->advance(entry)) {
      throw FormatError("read the archive " + quoted(path) + ": it now has fewer files; open it again");
    }
  }
  return cursor;
}

/// One file of an archive from front to back.
class MemberStream final : public SequentialStream {
 public:
  MemberStream(std::string name, fs::path archive, Member member, std::int64_t most_bytes)
      : SequentialStream(std::move(name)), archive_(std::move(archive)), member_(member), most_bytes_(most_bytes) {}

  std::optional<std::int64_t> length() const override {
    return member_.bytes < 0 ? std::nullopt : std::optional(member_.bytes);
  }
  std::int64_t most_bytes() const override { return member_.bytes < 0 ? most_bytes_ : member_.bytes; }

 private:
  void restart() override { cursor_.reset(); }
  std::size_t read_next(std::span<std::byte> out) override {
    if (!cursor_) cursor_ = cursor_at(nullptr, archive_, member_.number);
    return cursor_->read_some(out);
  }

  const fs::path archive_;
  const Member member_;
  const std::int64_t most_bytes_;
  std::unique_ptr<ArchiveCursor> cursor_;
};

std::string shortened(const std::string& text) {
  const std::string shown = printable(text);
  const std::string_view start = cut_utf8(shown, kMostShownBytes);
  return std::string(start) + (start.size() < shown.size() ? "..." : "");
}

bool has_parent_part(const std::string& name) { return ("/" + name + "/").find("/../") != std::string::npos; }

/// Adds the name of the archive to the errors of its list.
template <typename Work>
auto named(const fs::path& archive, const Work& work) {
  try {
    return work();
  } catch (const FormatError& error) {
    throw FormatError("read the archive " + quoted(archive) + ": " + error.what());
  }
}

class ArchiveTree final : public FileTree {
 public:
  ArchiveTree(const fs::path& path, std::int64_t largest_ratio, OnDamage on_damage) : FileTree(path) {
    list(largest_ratio, on_damage);
  }

  std::vector<DamagedArchive> damaged() const override { return damaged_; }
  std::vector<std::string> remarks() const override { return remarks_; }
  std::string name_of(const std::string& path) const override {
    if (path.empty()) return quoted(root());
    return quoted(fs::path(root().string() + ": " + path));
  }
  FolderEntries entries(const std::string& folder) const override { return members_.entries(folder); }
  std::vector<std::string> files_below(const std::string& folder) const override {
    return named(root(), [&] { return members_.files_below(folder); });
  }
  std::string folder_identity(const std::string& folder) const override {
    return members_.real_path(folder).value_or(folder);
  }
  bool has_file(const std::string& path) const override { return members_.find(path) != nullptr; }
  std::unique_ptr<ByteStream> open(const std::string& path) const override {
    auto stream = std::make_unique<MemberStream>(name_of(path), root(), member(path), most_bytes_);
    if (begins_as_gzip(*stream)) return inflate_gzip(std::move(stream));
    return stream;
  }
  std::string read_whole(const std::string& path, std::int64_t largest) const override;
  std::int64_t reading_rank(const std::string& path) const override { return member(path).number; }
  std::optional<fs::path> disk_path(const std::string&) const override { return std::nullopt; }

 private:
  void list(std::int64_t largest_ratio, OnDamage on_damage);
  bool advance(ArchiveCursor& cursor, ArchiveEntry& entry, OnDamage on_damage);
  void check_names(const ArchiveEntry& entry) const;
  void add(const ArchiveEntry& entry, std::int64_t number);
  void remark(const ArchiveCursor& cursor);
  [[noreturn]] void refuse(const std::string& problem) const;
  const Member& member(const std::string& path) const;
  std::unique_ptr<ArchiveCursor> take_cursor(std::int64_t number) const;
  void put_back(std::unique_ptr<ArchiveCursor> cursor) const;
  std::optional<std::string> recent(std::int64_t number) const;
  void keep(std::int64_t number, const std::string& bytes) const;

  std::int64_t most_bytes_ = 0;  ///< limit for the total size of all files
  MemberList members_;
  std::vector<DamagedArchive> damaged_;  ///< this archive if it is damaged, else empty
  std::vector<std::string> remarks_;
  std::int64_t parent_name_count_ = 0;  ///< files and links with ".." in their names
  std::string first_parent_name_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<ArchiveCursor>> idle_;  ///< as many as the most concurrent readers so far
  mutable RecentMembers recent_;                              ///< files that links lead to
};

/// Advances to the next entry; false if there is none, or if it cannot be read and `on_damage` allows that.
bool ArchiveTree::advance(ArchiveCursor& cursor, ArchiveEntry& entry, OnDamage on_damage) {
  try {
    return cursor.advance(entry);
  } catch (const FormatError&) {
    if (on_damage == OnDamage::refuse || cursor.passed() == 0) throw;
    damaged_.push_back({root(), cursor.problem() + "; everything after its file " + std::to_string(cursor.passed()) +
                                    " is lost; get the file again"});
    return false;
  }
}

void ArchiveTree::refuse(const std::string& problem) const {
  throw FormatError("read the archive " + quoted(root()) + ": " + problem + " unpack it yourself if you trust it");
}

void ArchiveTree::check_names(const ArchiveEntry& entry) const {
  if (entry.name.size() > kLongestName) refuse("a name in it has " + std::to_string(entry.name.size()) + " bytes;");
  if (std::count(entry.name.begin(), entry.name.end(), '/') > kDeepestFolder) refuse("a path in it is too deep;");
  if (entry.kind != EntryKind::file || !entry.is_encrypted) return;
  throw FormatError("read " + name_of(entry.name) +
                    ": it is encrypted; unpack the archive with its password and pack the folder");
}

void ArchiveTree::add(const ArchiveEntry& entry, std::int64_t number) {
  const bool may_hold_data = entry.kind != EntryKind::folder && entry.kind != EntryKind::other;
  if (may_hold_data && has_parent_part(entry.name) && ++parent_name_count_ == 1) first_parent_name_ = entry.name;
  switch (entry.kind) {
    case EntryKind::file:
      members_.add(entry.name, {number, entry.bytes});
      break;
    case EntryKind::folder:
      members_.add_folder(entry.name);
      break;
    case EntryKind::symlink:
      members_.add_symlink(entry.name, entry.target);
      break;
    case EntryKind::hard_link:
      members_.add_hard_link(entry.name, entry.target);
      break;
    case EntryKind::other:
      break;
  }
}

/// Notes what a user might not expect, after the last entry.
void ArchiveTree::remark(const ArchiveCursor& cursor) {
  const std::string name = quoted(root());
  if (parent_name_count_ > 0) {
    remarks_.push_back("left out " + counted(parent_name_count_, "file") + " of " + name + " with \"..\" in " +
                       (parent_name_count_ == 1 ? "its name: " : "their names, first ") +
                       shortened(first_parent_name_));
  }
  if (const LostLinks& lost = members_.lost_links(); lost.count > 0) {
    remarks_.push_back("left out " + counted(lost.count, "link") + " of " + name +
                       (lost.count == 1 ? " that leads" : " that lead") + " nowhere or outside the archive" +
                       (lost.count == 1 ? ": " : ", first ") + shortened(lost.first));
  }
  if (const ReplacedEntries& replaced = members_.replaced_entries(); replaced.count > 0) {
    const bool is_one = replaced.count == 1;
    remarks_.push_back("left out " + counted(replaced.count, "file") + " of " + name +
                       (is_one ? " that a later one" : " that later ones") + " with the same name" +
                       (is_one ? " replaces: " : " replace, first ") + shortened(replaced.first));
  }
  if (cursor.passed_after_end() > 0) {
    remarks_.push_back(name + " holds several archives, one after another; also read the " +
                       std::to_string(cursor.passed_after_end()) +
                       (cursor.passed_after_end() == 1 ? " entry" : " entries") + " after the end of the first");
  }
  if (!cursor.problem_after_end().empty()) {
    remarks_.push_back("something else follows the end of the archive " + name +
                       ", and is not read: " + cursor.problem_after_end());
  }
}

void ArchiveTree::list(std::int64_t largest_ratio, OnDamage on_damage) {
  const std::int64_t archive_bytes = File::open_for_reading(root()).length();
  most_bytes_ = kAlwaysAllowedBytes +
                std::min(checked_product({archive_bytes, largest_ratio}).value_or(INT64_MAX), INT64_MAX / 2);
  ArchiveCursor cursor(root());
  ArchiveEntry entry;
  std::int64_t declared = 0;
  const auto check_held = [&] {
    if (members_.held_bytes() > kAlwaysHeldBytes && members_.held_bytes() / kHeldRatio > archive_bytes) {
      refuse("it has too many names for its " + std::to_string(archive_bytes) + " bytes;");
    }
  };
  while (advance(cursor, entry, on_damage)) {
    const bool is_file = entry.kind == EntryKind::file;
    const auto sum = checked_sum(declared + kEntryBytes, is_file ? std::max<std::int64_t>(entry.bytes, 0) : 0);
    if (!sum || *sum > most_bytes_) {
      refuse("it claims to hold more than " + std::to_string(largest_ratio) + " times its " +
             std::to_string(archive_bytes) + " bytes; allow more with `max_ratio`, or");
    }
    declared = *sum;
    if (entry.kind != EntryKind::other) check_names(entry);
    named(root(), [&] { add(entry, cursor.passed() - 1); });
    check_held();
  }
  named(root(), [&] { members_.resolve_links(); });
  check_held();
  remark(cursor);
}

const Member& ArchiveTree::member(const std::string& path) const {
  const Member* const found = members_.find(path);
  if (found == nullptr) throw InvalidArgument("read " + quoted(root()) + ": it has no file " + quoted(fs::path(path)));
  return *found;
}

std::unique_ptr<ArchiveCursor> ArchiveTree::take_cursor(std::int64_t number) const {
  const std::lock_guard lock(mutex_);
  const auto nearest = std::max_element(idle_.begin(), idle_.end(), [&](const auto& a, const auto& b) {
    const auto rank = [&](const auto& cursor) { return cursor->passed() <= number ? cursor->passed() : -1; };
    return rank(a) < rank(b);
  });
  if (nearest == idle_.end()) return nullptr;
  std::unique_ptr<ArchiveCursor> cursor = std::move(*nearest);
  idle_.erase(nearest);
  // A cursor that is past the file must start again, so a new one is as good.
  if (cursor->passed() > number) cursor.reset();
  return cursor;
}

void ArchiveTree::put_back(std::unique_ptr<ArchiveCursor> cursor) const {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(cursor));
}

std::optional<std::string> ArchiveTree::recent(std::int64_t number) const {
  const std::lock_guard lock(mutex_);
  return recent_.find(number);
}

void ArchiveTree::keep(std::int64_t number, const std::string& bytes) const {
  const std::lock_guard lock(mutex_);
  recent_.add(number, bytes);
}

std::string ArchiveTree::read_whole(const std::string& path, std::int64_t largest) const {
  const Member& wanted = member(path);
  const auto refuse_large = [&] {
    throw FormatError("read " + name_of(path) + ": it is larger than " + std::to_string(largest) +
                      " bytes, the limit for such files");
  };
  if (wanted.bytes > largest) refuse_large();
  if (auto bytes = recent(wanted.number)) {
    if (std::ssize(*bytes) > largest) refuse_large();
    return *bytes;
  }
  auto cursor = cursor_at(take_cursor(wanted.number), root(), wanted.number);
  // Only reading on reaches the end, where the checksum is compared.
  const auto piece = static_cast<std::size_t>(
      wanted.bytes < 0 ? kMemberPieceBytes : std::min<std::int64_t>(wanted.bytes + 1, kMemberPieceBytes));
  std::string bytes;
  for (std::size_t count = 1; count > 0;) {
    const std::size_t done = bytes.size();
    bytes.resize(done + piece);
    count = cursor->read_some(std::as_writable_bytes(std::span(bytes).subspan(done)));
    bytes.resize(done + count);
    if (std::ssize(bytes) > largest) refuse_large();
    if (wanted.bytes >= 0 && std::ssize(bytes) > wanted.bytes) {
      throw FormatError("read " + name_of(path) + ": it is larger than the archive says; get the archive again");
    }
  }
  put_back(std::move(cursor));
  if (members_.is_shared(wanted)) keep(wanted.number, bytes);
  return bytes;
}

}  // namespace

bool is_archive(const fs::path& path) { return begins_as_archive(path); }

std::shared_ptr<const FileTree> open_archive(const fs::path& archive, std::int64_t largest_ratio, OnDamage on_damage) {
  return std::make_shared<ArchiveTree>(archive, largest_ratio, on_damage);
}

}  // namespace octavo::files
