// Preloaded into the program. Counts its system calls on files; makes the k-th one fail, cuts it short or kills the
// process there; and records file changes. Uses raw system calls, so that it does not depend on the C library and works
// with sanitizers.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>

#include "control_page.hpp"
#include "trace.hpp"

namespace octavo::faults {
namespace {

Control* control = nullptr;
int trace = -1;
std::int64_t descriptors_at_first = 0;

constexpr int kMostDescriptors = 256;
constexpr int kTraceDescriptor = 240;

std::int64_t open_descriptors() {
  std::int64_t count = 0;
  for (int descriptor = 0; descriptor < kMostDescriptors; ++descriptor) {
    count += ::syscall(SYS_fcntl, descriptor, F_GETFD) >= 0 ? 1 : 0;
  }
  return count;
}

__attribute__((constructor)) void begin() {
  control = map_control_page();
  if (const char* const name = ::getenv(kTraceVariable)) {
    const long descriptor = ::syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_APPEND | O_CLOEXEC);
    trace = static_cast<int>(::syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, kTraceDescriptor));
    ::syscall(SYS_close, descriptor);
  }
  descriptors_at_first = open_descriptors();
}

__attribute__((destructor)) void end() {
  if (control != nullptr) control->descriptors_left = open_descriptors() - descriptors_at_first;
}

// ---- Selecting the call ------------------------------------------------------

struct Name {
  char text[PATH_MAX] = {};
};

/// The current name of an open file.
Name name_of(int descriptor) {
  char link[64];
  ::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  Name name;
  const long length = ::syscall(SYS_readlinkat, AT_FDCWD, link, name.text, sizeof name.text - 1);
  name.text[length < 0 ? 0 : length] = '\0';
  return name;
}

bool is_within(const char* name) { return ::strncmp(name, control->within, ::strlen(control->within)) == 0; }

/// The action for this call on the file `name`.
Action action_for(Call call, const char* what, const char* name) {
  if (control == nullptr || (control->calls & bit(call)) == 0 || !is_within(name)) return Action::none;
  if (!is_its_turn(*control)) return Action::none;
  ::snprintf(control->failed_call, sizeof control->failed_call, "%s %.200s", what, name);
  return control->action;
}

Action action_for(Call call, const char* what, int descriptor) {
  if (control == nullptr || (control->calls & bit(call)) == 0) return Action::none;
  return action_for(call, what, control->within[0] == '\0' ? "" : name_of(descriptor).text);
}

[[noreturn]] void die() {
  ::syscall(SYS_kill, ::syscall(SYS_getpid), SIGKILL);
  __builtin_unreachable();
}

/// Whether a call that transfers no bytes must fail. Sets errno in that case.
template <typename NameOrDescriptor>
bool must_fail(Call call, const char* what, NameOrDescriptor file) {
  const Action action = action_for(call, what, file);
  if (action == Action::kill || action == Action::kill_half_way) die();
  if (action != Action::fail) return false;
  errno = control->error_number;
  return true;
}

size_t half_of(size_t count) { return std::max<size_t>(count / 2, std::min<size_t>(count, 1)); }

// ---- Recording changes -------------------------------------------------------

void record(const TraceHead& head, const char* name1, const char* name2, const void* data) {
  const struct iovec parts[] = {{const_cast<TraceHead*>(&head), sizeof head},
                                {const_cast<char*>(name1), head.name1_bytes},
                                {const_cast<char*>(name2), head.name2_bytes},
                                {const_cast<void*>(data), head.data_bytes}};
  ::syscall(SYS_writev, trace, parts, 4);  // one appending call, so records do not interleave
}

void record_names(Change change, const char* name1, const char* name2 = "", std::uint64_t file = 0) {
  if (trace < 0) return;
  const int saved = errno;
  record(
      {change, static_cast<std::uint32_t>(::strlen(name1)), static_cast<std::uint32_t>(::strlen(name2)), 0, file, 0, 0},
      name1, name2, nullptr);
  errno = saved;
}

struct stat status_of(int descriptor) {
  struct stat status {};
  ::syscall(SYS_newfstatat, descriptor, "", &status, AT_EMPTY_PATH);
  return status;
}

void record_file(Change change, int descriptor, std::int64_t offset, std::int64_t length, const void* data = nullptr) {
  if (trace < 0) return;
  const int saved = errno;
  const struct stat status = status_of(descriptor);
  if (S_ISREG(status.st_mode)) {
    const std::uint32_t data_bytes = data == nullptr ? 0 : static_cast<std::uint32_t>(length);
    record({change, 0, 0, data_bytes, status.st_ino, offset, length}, "", "", data);
  }
  errno = saved;
}

// ---- Shared bodies of calls --------------------------------------------------

template <typename Real>
ssize_t transfer(Call call, const char* what, int descriptor, size_t count, const Real& real) {
  const Action action = action_for(call, what, descriptor);
  if (action == Action::kill) die();
  if (action == Action::kill_half_way) {
    real(half_of(count));
    die();
  }
  if (action == Action::fail) {
    errno = control->error_number;
    return -1;
  }
  return real(action == Action::cut_short ? half_of(count) : count);
}

ssize_t write_bytes(int descriptor, const void* bytes, size_t count) {
  return transfer(Call::write, "write", descriptor, count, [&](size_t part) {
    const std::int64_t at = trace < 0 ? 0 : ::syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
    const ssize_t done = ::syscall(SYS_write, descriptor, bytes, part);
    if (done > 0) record_file(Change::write, descriptor, at, done, bytes);
    return done;
  });
}

ssize_t write_bytes_at(int descriptor, const void* bytes, size_t count, off_t offset) {
  return transfer(Call::write, "pwrite", descriptor, count, [&](size_t part) {
    const ssize_t done = ::syscall(SYS_pwrite64, descriptor, bytes, part, offset);
    if (done > 0) record_file(Change::write, descriptor, offset, done, bytes);
    return done;
  });
}

/// A shortened vector ends within its first part. Callers see only that it is short.
int parts_of(size_t bytes, const struct iovec* parts, int count, struct iovec& first) {
  size_t all = 0;
  for (int i = 0; i < count; ++i) all += parts[i].iov_len;
  if (bytes == all || count == 0) return 0;
  first = {parts[0].iov_base, half_of(parts[0].iov_len)};
  return 1;
}

size_t bytes_in(const struct iovec* parts, int count) {
  size_t all = 0;
  for (int i = 0; i < count; ++i) all += parts[i].iov_len;
  return all;
}

ssize_t read_parts(int descriptor, const struct iovec* parts, int count, off_t offset, int flags) {
  return transfer(Call::read, "preadv", descriptor, bytes_in(parts, count), [&](size_t bytes) -> ssize_t {
    struct iovec first;
    const bool is_cut = parts_of(bytes, parts, count, first) != 0;
    return ::syscall(SYS_preadv2, descriptor, is_cut ? &first : parts, is_cut ? 1 : count, offset, 0, flags);
  });
}

int open_file(int folder, const char* name, int flags, mode_t mode) {
  if (must_fail(Call::open, "open", name)) return -1;
  struct stat before {};
  const bool was_there = trace < 0 || ::syscall(SYS_newfstatat, folder, name, &before, 0) == 0;
  const int descriptor = static_cast<int>(::syscall(SYS_openat, folder, name, flags, mode));
  if (descriptor < 0 || trace < 0) return descriptor;
  const bool has_no_name = (flags & O_TMPFILE) == O_TMPFILE;
  if (!was_there && !has_no_name) record_names(Change::create, name, "", status_of(descriptor).st_ino);
  if ((flags & O_TRUNC) != 0) record_file(Change::resize, descriptor, 0, 0);
  return descriptor;
}

bool takes_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

mode_t mode_of(int flags, va_list arguments) {
  return takes_mode(flags) ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

int sync_file(int descriptor, long call_number) {
  if (must_fail(Call::sync, "fsync", descriptor)) return -1;
  const int status = static_cast<int>(::syscall(call_number, descriptor));
  if (status != 0 || trace < 0) return status;
  if (S_ISDIR(status_of(descriptor).st_mode)) {
    record_names(Change::sync_names, name_of(descriptor).text);
  } else {
    record_file(Change::sync, descriptor, 0, 0);
  }
  return status;
}

int allocate(int descriptor, int mode, off_t offset, off_t length) {
  if (must_fail(Call::allocate, "fallocate", descriptor)) return -1;
  const int status = static_cast<int>(::syscall(SYS_fallocate, descriptor, mode, offset, length));
  if (status == 0) record_file(Change::reserve, descriptor, 0, offset + length);
  return status;
}

int set_length(int descriptor, off_t length) {
  if (must_fail(Call::truncate, "ftruncate", descriptor)) return -1;
  const int status = static_cast<int>(::syscall(SYS_ftruncate, descriptor, length));
  if (status == 0) record_file(Change::resize, descriptor, 0, length);
  return status;
}

int rename_file(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  if (must_fail(Call::rename, "rename", from)) return -1;
  const int status = static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
  if (status == 0) record_names(Change::rename, from, to);
  return status;
}

int remove_name(int folder, const char* name, int flags) {
  if (must_fail(Call::remove, "unlink", name)) return -1;
  const int status = static_cast<int>(::syscall(SYS_unlinkat, folder, name, flags));
  if (status == 0) record_names(Change::remove, name);
  return status;
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace
}  // namespace octavo::faults

// ---- Replaced functions ----------------------------------------------------------
using namespace octavo::faults;

extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t count) { return write_bytes(descriptor, bytes, count); }
ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
  return write_bytes_at(descriptor, bytes, count, offset);
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off64_t offset) {
  return write_bytes_at(descriptor, bytes, count, offset);
}
ssize_t writev(int descriptor, const struct iovec* parts, int count) {
  ssize_t done = 0;
  for (int i = 0; i < count; ++i) {
    if (parts[i].iov_len == 0) continue;
    const ssize_t part = write_bytes(descriptor, parts[i].iov_base, parts[i].iov_len);
    if (part < 0) return done > 0 ? done : part;
    done += part;
    if (part < static_cast<ssize_t>(parts[i].iov_len)) return done;
  }
  return done;
}

ssize_t read(int descriptor, void* bytes, size_t count) {
  return transfer(Call::read, "read", descriptor, count,
                  [&](size_t part) { return ::syscall(SYS_read, descriptor, bytes, part); });
}
ssize_t pread(int descriptor, void* bytes, size_t count, off_t offset) {
  return transfer(Call::read, "pread", descriptor, count,
                  [&](size_t part) { return ::syscall(SYS_pread64, descriptor, bytes, part, offset); });
}
ssize_t pread64(int descriptor, void* bytes, size_t count, off64_t offset) {
  return pread(descriptor, bytes, count, offset);
}
ssize_t preadv(int descriptor, const struct iovec* parts, int count, off_t offset) {
  return read_parts(descriptor, parts, count, offset, 0);
}
ssize_t preadv64(int descriptor, const struct iovec* parts, int count, off64_t offset) {
  return read_parts(descriptor, parts, count, offset, 0);
}
ssize_t preadv2(int descriptor, const struct iovec* parts, int count, off_t offset, int flags) {
  return read_parts(descriptor, parts, count, offset, flags);
}
ssize_t preadv64v2(int descriptor, const struct iovec* parts, int count, off64_t offset, int flags) {
  return read_parts(descriptor, parts, count, offset, flags);
}

int open(const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file(AT_FDCWD, name, flags, mode);
}
int open64(const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file(AT_FDCWD, name, flags, mode);
}
int openat(int folder, const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file(folder, name, flags, mode);
}
int openat64(int folder, const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file(folder, name, flags, mode);
}
int mkostemp(char* name, int flags) {
  if (must_fail(Call::open, "mkostemp", name)) return -1;
  return next<int(char*, int)>("mkostemp")(name, flags);
}
FILE* fopen(const char* name, const char* mode) {
  if (must_fail(Call::open, "fopen", name)) return nullptr;
  return next<FILE*(const char*, const char*)>("fopen")(name, mode);
}
FILE* fopen64(const char* name, const char* mode) {
  if (must_fail(Call::open, "fopen", name)) return nullptr;
  return next<FILE*(const char*, const char*)>("fopen64")(name, mode);
}
DIR* opendir(const char* name) {
  if (must_fail(Call::open, "opendir", name)) return nullptr;
  return next<DIR*(const char*)>("opendir")(name);
}

int fsync(int descriptor) { return sync_file(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return sync_file(descriptor, SYS_fdatasync); }
int syncfs(int descriptor) {
  if (must_fail(Call::sync, "syncfs", descriptor)) return -1;
  const int status = static_cast<int>(::syscall(SYS_syncfs, descriptor));
  if (status == 0) record_names(Change::sync_all, "");
  return status;
}

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
  return allocate(descriptor, mode, offset, length);
}
int fallocate64(int descriptor, int mode, off64_t offset, off64_t length) {
  return allocate(descriptor, mode, offset, length);
}
int posix_fallocate(int descriptor, off_t offset, off_t length) {
  return allocate(descriptor, 0, offset, length) == 0 ? 0 : errno;
}
int posix_fallocate64(int descriptor, off64_t offset, off64_t length) {
  return posix_fallocate(descriptor, offset, length);
}
int ftruncate(int descriptor, off_t length) noexcept { return set_length(descriptor, length); }
int ftruncate64(int descriptor, off64_t length) noexcept { return set_length(descriptor, length); }

int rename(const char* from, const char* to) noexcept { return rename_file(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  return rename_file(from_folder, from, to_folder, to, flags);
}
int link(const char* from, const char* to) noexcept {
  if (must_fail(Call::rename, "link", from)) return -1;
  const int status = static_cast<int>(::syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
  if (status == 0) record_names(Change::link, from, to);
  return status;
}
int unlink(const char* name) noexcept { return remove_name(AT_FDCWD, name, 0); }
int unlinkat(int folder, const char* name, int flags) noexcept { return remove_name(folder, name, flags); }
int rmdir(const char* name) noexcept { return remove_name(AT_FDCWD, name, AT_REMOVEDIR); }
int remove(const char* name) noexcept {
  if (remove_name(AT_FDCWD, name, 0) == 0) return 0;
  return errno == EISDIR ? remove_name(AT_FDCWD, name, AT_REMOVEDIR) : -1;
}
int mkdir(const char* name, mode_t mode) noexcept {
  if (must_fail(Call::make_folder, "mkdir", name)) return -1;
  return static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, name, mode));
}
}
