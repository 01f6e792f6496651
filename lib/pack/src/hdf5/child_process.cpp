#include "hdf5/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <system_error>

#include <octavo/errors.hpp>

#include "hdf5/session.hpp"

namespace octavo::hdf5 {
namespace {

struct MessageHead {
  std::uint64_t kind;
  std::uint64_t byte_count;
};

constexpr bool is_sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return false;
#endif
}

/// Beyond `most`, the process gets an error or a signal; beyond `last`, it is killed.
void limit(__rlimit_resource resource, std::int64_t most, std::int64_t last) {
  const struct rlimit value = {static_cast<rlim_t>(most), static_cast<rlim_t>(last)};
  ::setrlimit(resource, &value);
}
void limit(__rlimit_resource resource, std::int64_t most) { limit(resource, most, most); }

/// The address space of this process; with a GPU library loaded, it is far larger than its memory.
std::int64_t mapped_bytes() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

void apply(const ChildLimits& limits) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGTERM}) ::signal(number, SIG_DFL);
  // Ctrl-C in a terminal goes to both processes; the parent handles it, and this process ends with the parent.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);                                         // the child writes no files
  limit(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 2);  // sends SIGXCPU, which shows the reason
  // The sanitizers map terabytes of shadow memory.
  if (!is_sanitized()) limit(RLIMIT_AS, mapped_bytes() + limits.memory_bytes);
}

void write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) ::_exit(1);  // the parent has exited
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

/// Whether the system failed (out of descriptors, a failing disk). A damaged file can only cause errors about invalid
/// requests.
bool is_of_system(const IoError& problem) { return problem.error_number() != 0 && problem.error_number() != EINVAL; }

/// Runs the child and leaves with _exit, so that nothing of the parent is flushed or destroyed twice.
[[noreturn]] void run_child(const std::function<void(const ChildOutput&)>& work, const ChildLimits& limits,
                            int descriptor) {
  const ChildOutput output(descriptor);
  try {
    hdf5::take_over_after_fork();
    apply(limits);
    work(output);
  } catch (const IoError& problem) {
    output.send(is_of_system(problem) ? ChildProcess::kSystemFailure : ChildProcess::kFailure, problem.what());
  } catch (const std::exception& problem) {
    output.send(ChildProcess::kFailure, problem.what());
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

[[noreturn]] void fail(const std::string& problem) {
  throw FormatError("the HDF5 library " + problem + " on this file (in a child process)");
}

}  // namespace

void ChildOutput::send(char kind, std::span<const std::byte> bytes) const {
  const MessageHead head{static_cast<std::uint64_t>(kind), bytes.size()};
  write_all(descriptor_, std::as_bytes(std::span(&head, 1)));
  write_all(descriptor_, bytes);
}

void ChildOutput::send(char kind, std::string_view text) const { send(kind, std::as_bytes(std::span(text))); }

ChildProcess::ChildProcess(const std::function<void(const ChildOutput&)>& work, const ChildLimits& limits)
    : limits_(limits) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw IoError("start a child process: " + std::generic_category().message(errno));
  input_ = FileDescriptor(ends[0]);
  const FileDescriptor output(ends[1]);
  // No other thread may be inside the HDF5 library during the fork: the child would inherit its lock and half-done
  // work.
  const hdf5::Session session;
  child_ = ::fork();
  if (child_ < 0) throw IoError("start a child process: " + std::generic_category().message(errno));
  if (child_ == 0) run_child(work, limits_, output.get());
}

ChildProcess::~ChildProcess() {
  if (child_ <= 0) return;
  ::kill(child_, SIGKILL);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void ChildProcess::wait_for_data() const {
  struct pollfd entry = {input_.get(), POLLIN, 0};
  int ready;
  do {
    ready = ::poll(&entry, 1, limits_.silent_seconds * 1000);
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) fail("hangs");
}

bool ChildProcess::read_exactly(std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    wait_for_data();
    const ssize_t count = ::read(input_.get(), out.data() + done, out.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  if (done == out.size()) return true;
  finish();
  if (done != 0) fail("stopped half-way");
  return false;
}

std::optional<ChildProcess::Message> ChildProcess::receive(std::size_t most_bytes) {
  MessageHead head{};
  if (!read_exactly(std::as_writable_bytes(std::span(&head, 1)))) return std::nullopt;
  if (head.byte_count > most_bytes) fail("returned too much data");
  Message message;
  message.kind = static_cast<char>(head.kind);
  message.bytes.resize(head.byte_count);
  if (!message.bytes.empty() && !read_exactly(std::as_writable_bytes(std::span(message.bytes))))
    fail("stopped half-way");
  if (message.kind == kSystemFailure) throw IoError(message.bytes);
  return message;
}

void ChildProcess::finish() {
  int status = 0;
  pid_t ended;
  do {
    ended = ::waitpid(child_, &status, 0);
  } while (ended < 0 && errno == EINTR);
  child_ = -1;
  if (ended < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) fail("took too long");
  if (WIFSIGNALED(status)) fail(std::string("crashed (") + ::strsignal(WTERMSIG(status)) + ")");
  fail("failed");
}

}  // namespace octavo::hdf5
