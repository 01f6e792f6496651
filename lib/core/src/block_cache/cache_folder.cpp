#include "block_cache/cache_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>

#include "support/hash.hpp"

namespace octavo::block_cache {
namespace {

constexpr const char* kLedgerName = "ledger.octavo-cache";
/// Writing a block takes microseconds; a process that is stopped while it holds the lock must not stop others.
constexpr auto kMostWait = std::chrono::seconds(1);
constexpr auto kMostPause = std::chrono::milliseconds(2);
/// A file system adds blocks of its own to a file, now or when it writes it to disk: this much is left for them.
constexpr std::int64_t kMarginFraction = 1000;
constexpr std::int64_t kMarginBytes = 16384;

struct stat status_of(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw_io_error("read the size of", path, errno);
  return status;
}

std::int64_t bytes_on_disk(const struct stat& status) { return static_cast<std::int64_t>(status.st_blocks) * 512; }

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw IoError("use the cache " + quoted(path) + ": " + why);
}

/// Creates missing folders, for this user only.
void create_folders(const std::filesystem::path& path) {
  std::filesystem::path folder;
  for (const auto& part : path) {
    folder /= part;
    if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) continue;
    if (::access(folder.c_str(), F_OK) != 0) throw_io_error("create the folder", folder, errno);
  }
}

/// A hash of the identity of this boot of the machine, or 0 if it is unknown.
std::uint64_t hash_of_boot() {
  try {
    std::array<std::byte, 64> text;
    const auto bytes = File::open_for_reading("/proc/sys/kernel/random/boot_id").read_some_at(0, text);
    return hash_bytes(std::span(text).first(bytes));
  } catch (const IoError&) {
    return 0;
  }
}

/// Writing beyond the limit of file sizes would end the process with SIGXFSZ.
void check_file_size_limit(const std::filesystem::path& path, std::int64_t file_bytes) {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  if (static_cast<std::uint64_t>(file_bytes) <= limit.rlim_cur) return;
  refuse(path, "this process may write files of " + format_bytes(static_cast<std::int64_t>(limit.rlim_cur)) +
                   ", and the cache file has " + format_bytes(file_bytes) + "; raise the limit (ulimit -f)");
}

bool is_same_file(const struct stat& a, const struct stat& b) { return a.st_ino == b.st_ino && a.st_dev == b.st_dev; }

}  // namespace

// ---- Ledger -------------------------------------------------------------------

/// The locked ledger of a folder: the total size of its cache files. Its contents are checked, not trusted.
class CacheFolder::Ledger {
 public:
  Ledger(File file, std::uint64_t boot) : file_(std::move(file)), boot_(boot) {}
  Ledger(Ledger&&) = default;
  Ledger& operator=(Ledger&&) = delete;
  // Unlocks: a child of fork() may have inherited the descriptor.
  ~Ledger() {
    if (file_) ::flock(file_.descriptor(), LOCK_UN);
  }

  /// The total, or nothing if it is not known, as after a restart of the machine, which may have lost changes.
  std::optional<std::int64_t> total() const {
    Record record{};
    if (file_.read_some_at(0, std::as_writable_bytes(std::span(&record, 1))) != sizeof record) return std::nullopt;
    if (boot_ == 0 || record.boot != boot_ || record.total < 0 || record.hash != hash_of(record)) return std::nullopt;
    return record.total;
  }
  void set_total(std::int64_t total) const {
    Record record{boot_, std::max<std::int64_t>(0, total), 0};
    record.hash = hash_of(record);
    file_.write_at(0, std::as_bytes(std::span(&record, 1)));
  }

 private:
  struct Record {
    std::uint64_t boot;
    std::int64_t total;
    std::uint64_t hash;
  };
  static std::uint64_t hash_of(const Record& record) {
    return hash_bytes(std::as_bytes(std::span(&record, 1)).first(offsetof(Record, hash)));
  }

  File file_;
  std::uint64_t boot_;
};

struct CacheFolder::Candidate {
  std::string name;
  std::int64_t bytes;
  timespec used;

  bool operator<(const Candidate& other) const {
    return std::pair(used.tv_sec, used.tv_nsec) < std::pair(other.used.tv_sec, other.used.tv_nsec);
  }
};

// ---- The folder ---------------------------------------------------------------

CacheFolder::CacheFolder(std::filesystem::path path, std::int64_t most_bytes)
    : path_(std::move(path)), most_bytes_(most_bytes - most_bytes / kMarginFraction), boot_(hash_of_boot()) {
  create_folders(path_);
  folder_ = FileDescriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_) throw_io_error("open the folder", path_, errno);
  const struct stat status = status_of(folder_.get(), path_);
  // The superuser's folders include /tmp, where the sticky bit protects the files of each user.
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    refuse(path_, "another user owns the folder; choose one of your own");
  }
}

FileDescriptor CacheFolder::open_entry(const std::string& name, int flags) const {
  FileDescriptor descriptor;
  do {
    descriptor = FileDescriptor(
        ::openat(folder_.get(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, S_IRUSR | S_IWUSR));
  } while (!descriptor && errno == EINTR);
  if (!descriptor) {
    const int error_number = errno;
    if (error_number == ENOENT && (flags & O_CREAT) == 0) return descriptor;
    throw_io_error("open", path_ / name, error_number);
  }
  const struct stat status = status_of(descriptor.get(), path_ / name);
  if (!S_ISREG(status.st_mode)) refuse(path_ / name, "not a regular file; remove it");
  if (status.st_uid != ::geteuid()) refuse(path_ / name, "it belongs to another user; choose a folder of your own");
  return descriptor;
}

std::optional<CacheFolder::Ledger> CacheFolder::lock() const {
  const auto deadline = std::chrono::steady_clock::now() + kMostWait;
  auto pause = std::chrono::microseconds(20);
  while (true) {
    File file = File::owning(open_entry(kLedgerName, O_RDWR | O_CREAT), path_ / kLedgerName);
    while (::flock(file.descriptor(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) {
        refuse(path_, "its file system has no locks; choose a folder on a local disk");
      }
      if (std::chrono::steady_clock::now() > deadline) return std::nullopt;
      std::this_thread::sleep_for(pause);
      pause = std::min<std::chrono::microseconds>(pause * 2, kMostPause);
    }
    // The file may have been removed, and created again, in the meantime.
    struct stat named {};
    const struct stat opened = status_of(file.descriptor(), file.path());
    if (::fstatat(folder_.get(), kLedgerName, &named, AT_SYMLINK_NOFOLLOW) == 0 && is_same_file(opened, named)) {
      return Ledger(std::move(file), boot_);
    }
    if (std::chrono::steady_clock::now() > deadline) return std::nullopt;
  }
}

std::vector<CacheFolder::Candidate> CacheFolder::cache_files() const {
  const int descriptor = ::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw_io_error("open the folder", path_, errno);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::fdopendir(descriptor), &::closedir);
  if (!folder) throw_io_error("open the folder", path_, errno);
  std::vector<Candidate> files;
  while (const dirent* const entry = ::readdir(folder.get())) {
    struct stat status {};
    if (!is_cache_file_name(entry->d_name)) continue;
    if (::fstatat(folder_.get(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) continue;
    files.push_back({entry->d_name, bytes_on_disk(status), status.st_mtim});
  }
  return files;
}

bool CacheFolder::remove_unused(const std::string& name) const {
  const FileDescriptor descriptor = open_entry(name, O_RDONLY);
  if (!descriptor || ::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) return false;
  return ::unlinkat(folder_.get(), name.c_str(), 0) == 0;
}

bool CacheFolder::make_room(Ledger& ledger, std::int64_t bytes) const {
  if (const auto total = ledger.total(); total && *total <= most_bytes_ - bytes) return true;
  std::vector<Candidate> files = cache_files();
  std::int64_t total = 0;
  for (const Candidate& file : files) total += file.bytes;
  std::sort(files.begin(), files.end());
  for (const Candidate& file : files) {
    if (total <= most_bytes_ - bytes) break;
    if (remove_unused(file.name)) total -= file.bytes;
  }
  ledger.set_total(total);
  return total <= most_bytes_ - bytes;
}

bool CacheFolder::grow(const File& file, std::int64_t most_growth, const std::function<void()>& write) const {
  check_file_size_limit(file.path(), file.length());  // it may have been lowered
  std::optional<Ledger> ledger = lock();
  if (!ledger) return false;
  const struct stat before = status_of(file.descriptor(), file.path());
  if (before.st_nlink == 0) refuse(file.path(), "the file was removed; open the dataset again to create it");
  if (!make_room(*ledger, most_growth + kMarginBytes)) return false;
  const std::int64_t total = ledger->total().value_or(most_bytes_);
  // If this process is killed while it writes, the total is too large rather than too small.
  ledger->set_total(total + most_growth + kMarginBytes);
  write();
  ledger->set_total(total + bytes_on_disk(status_of(file.descriptor(), file.path())) - bytes_on_disk(before));
  return true;
}

std::optional<File> CacheFolder::open_existing(const BlockLayout& layout) const {
  File file = File::owning(open_entry(layout.file_name(), O_RDWR), path_ / layout.file_name());
  if (!file) return std::nullopt;
  // Only a process that is about to remove the file holds another lock.
  if (::flock(file.descriptor(), LOCK_SH | LOCK_NB) != 0) refuse(file.path(), "it cannot be locked; remove it");
  std::array<std::byte, kCacheHeaderBytes> header{};
  if (file.length() == layout.file_bytes() && file.read_some_at(0, header) == header.size() &&
      header == layout.header()) {
    ::futimens(file.descriptor(), nullptr);  // the time of the last use
    return file;
  }
  // Not cut and written again: other processes may have verified its blocks.
  if (::unlinkat(folder_.get(), layout.file_name().c_str(), 0) != 0) throw_io_error("remove", file.path(), errno);
  return std::nullopt;
}

std::optional<File> CacheFolder::create(Ledger& ledger, const BlockLayout& layout) const {
  const std::filesystem::path path = path_ / layout.file_name();
  if (!make_room(ledger, kCacheHeaderBytes + kMarginBytes)) return std::nullopt;
  const std::int64_t total = ledger.total().value_or(most_bytes_);
  File file = File::owning(open_entry(layout.file_name(), O_RDWR | O_CREAT | O_EXCL), path);
  try {
    if (::flock(file.descriptor(), LOCK_SH | LOCK_NB) != 0) throw_io_error("lock", path, errno);
    // At its full length, so that no write makes the file longer and reserves more space than it fills.
    if (::ftruncate(file.descriptor(), layout.file_bytes()) != 0) throw_io_error("resize", path, errno);
    file.write_at(0, layout.header());
    const std::int64_t bytes = bytes_on_disk(status_of(file.descriptor(), path));
    ledger.set_total(total + bytes);
    if (bytes <= most_bytes_ - total) return file;
  } catch (...) {
    remove(layout);
    throw;
  }
  remove(layout);  // the file system does not support sparse files
  ledger.set_total(total);
  return std::nullopt;
}

std::optional<File> CacheFolder::open_file(const BlockLayout& layout) const {
  check_file_size_limit(path_ / layout.file_name(), layout.file_bytes());
  std::optional<Ledger> ledger = lock();
  if (!ledger) refuse(path_, "another process has locked it for too long");
  std::optional<File> file = open_existing(layout);
  return file ? std::move(file) : create(*ledger, layout);
}

void CacheFolder::remove(const BlockLayout& layout) const noexcept {
  ::unlinkat(folder_.get(), layout.file_name().c_str(), 0);
}

}  // namespace octavo::block_cache
