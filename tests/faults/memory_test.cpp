// The k-th allocation fails, for k = 1, 2, ... until the work succeeds. The failing malloc is linked into this
// executable, and each attempt runs in a child process.
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <octavo/octavo.hpp>
#include <string_view>
#include <system_error>
#include <typeinfo>

#include "../lib/dataset_file/small_file.hpp"
#include "../lib/sources/made_files.hpp"
#include "catch.hpp"
#include "effort.hpp"
#include "preload/memory.hpp"
#include "tally.hpp"

using namespace octavo::test;
namespace faults = octavo::faults;

namespace {

constexpr int kHangSeconds = 60;

/// A control page shared by this process and its children.
class SharedPage {
 public:
  SharedPage() {
    void* const page =
        ::mmap(nullptr, sizeof(faults::Control), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw std::bad_alloc();
    control_ = new (page) faults::Control;
    control_->calls = faults::bit(faults::Call::memory);
  }
  ~SharedPage() { ::munmap(control_, sizeof(faults::Control)); }
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;
  faults::Control* operator->() { return control_; }
  faults::Control* get() { return control_; }

 private:
  faults::Control* control_ = nullptr;
};

/// How the work in a child ended. The values are its exit codes.
enum class Ending { done = 0, refused = 1, other_exception = 2, not_again = 3, in_library = 4 };

/// Some libraries allocate in noexcept functions, so a failure ends the process and cannot be caught: nlohmann-json in
/// the destructor of a document, libstdc++ when it opens a folder for std::filesystem.
void end_where_nobody_can_catch() {
  faults::use_memory_control(nullptr);
  const std::type_info* const type = abi::__cxa_current_exception_type();
  // When listing a folder, the type of the exception is no longer available.
  const bool is_bad_alloc = type == nullptr ? std::uncaught_exceptions() > 0 : *type == typeid(std::bad_alloc);
  if (is_bad_alloc) ::_exit(static_cast<int>(Ending::in_library));
  std::abort();
}

/// Handles a crash of nlohmann-json, which destroys an object or array even if its allocation failed.
void end_in_crash(int signal_number) {
  constexpr int kMostFrames = 6;  // this function, the signal frame, and the origin
  faults::use_memory_control(nullptr);
  void* frames[kMostFrames];
  const int count = ::backtrace(frames, kMostFrames);
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    const bool is_named = ::dladdr(frames[i], &info) != 0 && info.dli_sname != nullptr;
    if (is_named && std::string_view(info.dli_sname).find("nlohmann") != std::string_view::npos) {
      ::_exit(static_cast<int>(Ending::in_library));
    }
  }
  ::signal(signal_number, SIG_DFL);
  ::raise(signal_number);
}

/// Does the work with failing memory, then again without faults: after an error, the process must still work.
Ending work_twice(const std::function<void()>& work, faults::Control* control) {
  Ending ending = Ending::done;
  faults::use_memory_control(control);
  try {
    work();
  } catch (const std::bad_alloc&) {
    ending = Ending::refused;
  } catch (const octavo::Error&) {
    ending = Ending::refused;
  } catch (const std::system_error&) {
    ending = Ending::refused;
  } catch (...) {
    ending = Ending::other_exception;
  }
  faults::use_memory_control(nullptr);
  try {
    work();
  } catch (const std::exception& problem) {
    return Ending::not_again;
  }
  return ending;
}

/// Runs work_twice() in a child, and returns its status.
int status_of_child(const std::function<void()>& work, faults::Control* control) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM}) ::signal(number, SIG_DFL);
    ::signal(SIGSEGV, &end_in_crash);
    std::set_terminate(&end_where_nobody_can_catch);
    ::alarm(kHangSeconds);
    ::_exit(static_cast<int>(work_twice(work, control)));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

std::string problem_of(int status) {
  if (WIFSIGNALED(status)) return std::string("it was ended by the signal ") + ::strsignal(WTERMSIG(status));
  switch (static_cast<Ending>(WEXITSTATUS(status))) {
    case Ending::done:
    case Ending::refused:
    case Ending::in_library:
      return "";
    case Ending::other_exception:
      return "an exception that no caller expects";
    case Ending::not_again:
      break;
  }
  return "afterwards the same work fails";
}

/// Makes the first, second, ... allocation of `work` fail, alone or with all later ones, until `work` succeeds.
void fail_every_allocation(const std::string& what, const std::function<void()>& work, bool from_then_on) {
  SharedPage control;
  control->from_then_on = from_then_on ? 1 : 0;
  Tally tally("8 " + what + (from_then_on ? ", no memory from an allocation on" : ", an allocation fails"));
  std::int64_t in_library_count = 0;
  void* frame = nullptr;
  ::backtrace(&frame, 1);  // loads its libraries while memory is available
  // Single failures are tried at every third allocation, failures from an allocation on at every seventh. A nightly run
  // tries all.
  const std::int64_t step = is_night() ? 1 : from_then_on ? 7 : 3;
  while (tally.has_time()) {
    control->at += step;
    control->counted = 0;
    control->failed = 0;
    control->failed_in_library = 0;
    const int status = status_of_child(work, control.get());
    const std::string problem = problem_of(status);
    if (control->failed == 0) {
      REQUIRE(problem == "");
      break;
    }
    const bool is_uncatchable = WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(Ending::in_library);
    // Without memory, HDF5 1.10 crashes or becomes unusable.
    const bool is_of_library = !problem.empty() && control->failed_in_library > 0;
    in_library_count += is_uncatchable || is_of_library ? 1 : 0;
    const bool is_fault = !problem.empty() && !is_of_library;
    tally.add(is_fault ? problem + ", allocation " + std::to_string(control->at) : "");
  }
  tally.set_note(std::to_string(in_library_count) + " end inside of HDF5, nlohmann-json or libstdc++");
  CHECK(tally.count() > 10);
  CHECK(tally.failures() == kNone);
}

void write_source(const std::filesystem::path& folder) {
  write_file(folder / "train-images-idx3-ubyte", idx({6, 4, 5}, counting(120)));
  write_file(folder / "train-labels-idx1-ubyte", idx({6}, counting(6)));
}

void pack_source(const std::filesystem::path& source, const std::filesystem::path& target) {
  octavo::SourceOptions source_options;
  source_options.thread_count = 1;
  octavo::PackOptions options;
  options.with_names = true;
  options.replace_existing = true;
  options.thread_count = 1;
  const auto opened = octavo::open_source({{source}}, source_options);
  octavo::pack(*opened, target, options);
}

void load_and_serve(const std::filesystem::path& path, octavo::Residency residency) {
  octavo::LoadOptions options;
  options.thread_count = 1;
  options.residency = residency;
  const auto store = octavo::Store::load(octavo::Dataset::open(path).split("train"), octavo::Device::cpu(), options);
  octavo::Loader loader(store, {.batch_size = 4, .shuffle = true, .seed = 1});
  std::int64_t served = 0;
  for (const octavo::Batch& batch : loader.epoch(0)) served += batch.size();
  if (served != 6) throw std::logic_error("a batch is missing");
}

void verify_file(const std::filesystem::path& path) {
  // If the HDF5 child process runs out of memory, verify() reports a defect on the HDF5 side, because hostile files can
  // cause that.
  for (const octavo::Defect& defect : octavo::verify(path, {.thread_count = 1}).defects) {
    if (defect.where != "HDF5") throw std::logic_error("the file has defects");
  }
}

}  // namespace

TEST_CASE("packing survives any failing allocation and leaves nothing and succeeds the next time", "[faults][memory]") {
  if (const std::string reason = faults::why_memory_cannot_fail(); !reason.empty()) OCTAVO_SKIP(reason);
  const TemporaryFolder folder;
  write_source(folder / "source");
  const std::filesystem::path out = folder / "out";
  std::filesystem::create_directory(out);
  const bool from_then_on = GENERATE(false, true);
  fail_every_allocation(
      "pack",
      [&] {
        try {
          pack_source(folder / "source", out / "a.h5");
        } catch (...) {
          faults::use_memory_control(nullptr);
          // Only a complete new file or none may be there. Uses access(), which needs no memory.
          if (::access((out / "a.h5.partial").c_str(), F_OK) == 0) throw std::logic_error("a partial file is left");
          if (::access((out / "a.h5.lock").c_str(), F_OK) == 0) throw std::logic_error("a lock file is left");
          throw;
        }
      },
      from_then_on);
}

TEST_CASE("opening and loading and serving survive any failing allocation", "[faults][memory]") {
  if (const std::string reason = faults::why_memory_cannot_fail(); !reason.empty()) OCTAVO_SKIP(reason);
  const TemporaryFolder folder;
  write_source(folder / "source");
  pack_source(folder / "source", folder / "a.h5");
  const bool from_then_on = GENERATE(false, true);
  const auto residency = GENERATE(octavo::Residency::device, octavo::Residency::streamed);
  const std::string what = std::string("open, load and serve ") + octavo::to_string(residency);
  fail_every_allocation(
      what, [&] { load_and_serve(folder / "a.h5", residency); }, from_then_on);
}

TEST_CASE("verifying survives any failing allocation", "[faults][memory]") {
  if (const std::string reason = faults::why_memory_cannot_fail(); !reason.empty()) OCTAVO_SKIP(reason);
  const TemporaryFolder folder;
  write_source(folder / "source");
  pack_source(folder / "source", folder / "a.h5");
  const bool from_then_on = GENERATE(false, true);
  fail_every_allocation(
      "verify", [&] { verify_file(folder / "a.h5"); }, from_then_on);
}

TEST_CASE("exporting survives any failing allocation and leaves nothing and succeeds the next time",
          "[faults][memory]") {
  if (const std::string reason = faults::why_memory_cannot_fail(); !reason.empty()) OCTAVO_SKIP(reason);
  const TemporaryFolder folder;
  write_source(folder / "source");
  pack_source(folder / "source", folder / "a.h5");
  const bool from_then_on = GENERATE(false, true);
  const auto format = GENERATE(octavo::ExportFormat::png, octavo::ExportFormat::npy);
  fail_every_allocation(
      format == octavo::ExportFormat::png ? "export as png" : "export as npy",
      [&] {
        // A separate folder per child, because some children end where they cannot remove anything.
        const std::filesystem::path out = folder / std::to_string(::getpid());
        try {
          octavo::export_dataset(octavo::Dataset::open(folder / "a.h5"), out, {.format = format, .thread_count = 1});
        } catch (...) {
          faults::use_memory_control(nullptr);
          // Without any memory, the folder cannot be listed and thus not emptied.
          if (!from_then_on && ::access(out.c_str(), F_OK) == 0) throw std::logic_error("a partial file is left");
          std::filesystem::remove_all(out);
          throw;
        }
        faults::use_memory_control(nullptr);
        std::filesystem::remove_all(out);
      },
      from_then_on);
}
