#include "faulty_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <thread>

#include "effort.hpp"
#include "temporary_folder.hpp"

namespace octavo::test {
namespace {

constexpr double kHangSeconds = 60;

/// Sets an environment variable while alive, and restores it afterwards.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* const before = ::getenv(name);
    had_value_ = before != nullptr;
    if (had_value_) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { had_value_ ? ::setenv(name_, before_.c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool had_value_ = false;
};

/// The control page that the program shares with this process, mapped from a file.
class SharedControl {
 public:
  SharedControl() {
    const int descriptor = ::open(path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0 || ::ftruncate(descriptor, sizeof(faults::Control)) != 0) {
      throw std::runtime_error("cannot create the control page for faults");
    }
    void* const page = ::mmap(nullptr, sizeof(faults::Control), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    ::close(descriptor);
    if (page == MAP_FAILED) throw std::runtime_error("cannot map the control page for faults");
    control_ = new (page) faults::Control;
  }
  ~SharedControl() { ::munmap(control_, sizeof(faults::Control)); }
  SharedControl(const SharedControl&) = delete;
  SharedControl& operator=(const SharedControl&) = delete;

  std::string path() const { return folder_ / "control"; }
  faults::Control& control() { return *control_; }

 private:
  TemporaryFolder folder_;
  faults::Control* control_ = nullptr;
};

/// A link to a library under a name without spaces, because LD_PRELOAD splits its value at spaces.
class LibraryLink {
 public:
  explicit LibraryLink(const std::string& library) {
    char folder[] = "/tmp/octavo-faults-XXXXXX";
    if (::mkdtemp(folder) == nullptr) throw std::runtime_error("cannot create a folder for a link");
    folder_ = folder;
    std::filesystem::create_symlink(library, folder_ / "library.so");
  }
  ~LibraryLink() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  LibraryLink(const LibraryLink&) = delete;
  LibraryLink& operator=(const LibraryLink&) = delete;
  std::string path() const { return folder_ / "library.so"; }

 private:
  std::filesystem::path folder_;
};

std::string library_for(std::uint32_t calls) {
  static const LibraryLink failing_memory(OCTAVO_FAULT_MEMORY), failing_calls(OCTAVO_FAULT_CALLS);
  return calls == faults::bit(faults::Call::memory) ? failing_memory.path() : failing_calls.path();
}

std::string sanitizer_options() {
  const char* const given = ::getenv("ASAN_OPTIONS");
  return std::string(given == nullptr ? "" : given) + ":verify_asan_link_order=0";
}

void set(faults::Control& control, const Fault& fault) {
  control.calls = fault.calls;
  control.action = fault.action;
  control.error_number = fault.error_number;
  control.from_then_on = fault.from_then_on ? 1 : 0;
  control.at = fault.at;
  std::snprintf(control.within, sizeof control.within, "%s", fault.within.c_str());
}

/// Waits for the program to end. Returns false if that takes too long.
bool ends_in_time(RunningProgram& program) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kHangSeconds);
  while (!program.has_ended()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

}  // namespace

std::string FaultyOutcome::description() const {
  return "call " + std::to_string(counted) + " (" + failed_call + "): exit code " + std::to_string(exit_code) +
         (hung ? ", hung" : "") + ", " + std::to_string(descriptors_left) + " descriptors left, stderr: " + err;
}

bool FaultyOutcome::is_clean_error() const {
  return exit_code == 1 && is_one_line_error() && !hung && descriptors_left == 0;
}

FaultyOutcome run_with_fault(const std::vector<std::string>& arguments, const Fault& fault,
                             const std::filesystem::path& trace, const std::string& program_path) {
  SharedControl shared;
  set(shared.control(), fault);
  const Variable preload("LD_PRELOAD", library_for(fault.calls));
  const Variable options("ASAN_OPTIONS", sanitizer_options());
  const Variable control(faults::kControlVariable, shared.path());
  const Variable traced(faults::kTraceVariable, trace.string());
  RunningProgram program(arguments, -1, program_path);
  FaultyOutcome outcome;
  outcome.hung = !ends_in_time(program);
  if (outcome.hung) program.send(SIGKILL);
  static_cast<Outcome&>(outcome) = program.wait();
  outcome.has_failed = shared.control().failed > 0;
  outcome.failed_in_library = shared.control().failed_in_library;
  outcome.counted = shared.control().counted;
  outcome.descriptors_left = shared.control().descriptors_left;
  outcome.failed_call = shared.control().failed_call;
  return outcome;
}

std::string why_no_faults(std::uint32_t calls) {
#if defined(__SANITIZE_THREAD__)
  return "ThreadSanitizer does not see the calls of a library that is preloaded";
#endif
  const bool fails_memory = (calls & faults::bit(faults::Call::memory)) != 0;
  if (fails_memory && is_sanitized()) return "AddressSanitizer has an allocator of its own";
#if defined(OCTAVO_STATIC_HDF5)
  if (fails_memory) return "HDF5 is linked statically: its failed allocations cannot be told from Octavo's";
#endif
  return "";
}

}  // namespace octavo::test
