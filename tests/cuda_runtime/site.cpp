#include "site.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

#include "fake_cuda.hpp"

namespace fake_cuda {
namespace {

ViolationHandler handler;

/// The output of addr2line for an address in a file; empty if that fails.
std::string lookup(const char* file, std::uintptr_t offset) {
  std::ostringstream command;
  command << "addr2line -Cfpse '" << file << "' 0x" << std::hex << offset << " 2>/dev/null";
  std::string text;
  if (FILE* pipe = ::popen(command.str().c_str(), "r")) {
    char line[512];
    while (std::fgets(line, sizeof line, pipe) != nullptr) text += line;
    ::pclose(pipe);
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// The source location of an instruction. Cached, because reports repeat most of them and each lookup is slow.
std::string name_of(std::uintptr_t absolute, const Dl_info& info) {
  static std::mutex mutex;
  static std::map<std::uintptr_t, std::string> known;
  const std::lock_guard lock(mutex);
  std::string& name = known[absolute];
  if (name.empty()) name = lookup(info.dli_fname, absolute - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
  if (name.empty() || name.starts_with("??")) name = info.dli_sname != nullptr ? info.dli_sname : info.dli_fname;
  return name;
}

/// Whether an address belongs to this library.
bool is_own(void* address) {
  Dl_info self{}, other{};
  return ::dladdr(reinterpret_cast<void*>(&here), &self) != 0 && ::dladdr(address, &other) != 0 &&
         self.dli_fbase == other.dli_fbase;
}

}  // namespace

Site here(const char* call) {
  Site site;
  site.call = call;
  site.frame_count = ::backtrace(site.frames.data(), static_cast<int>(site.frames.size()));
  return site;
}

std::string describe(const Site& site) {
  std::string text = site.call;
  for (int i = 0; i < site.frame_count; ++i) {
    void* address = site.frames[static_cast<std::size_t>(i)];
    Dl_info info{};
    if (is_own(address) || ::dladdr(address, &info) == 0 || info.dli_fname == nullptr) continue;
    // The stored address is the one after the call.
    const auto absolute = reinterpret_cast<std::uintptr_t>(address) - 1;
    text += "\n        < " + name_of(absolute, info);
  }
  return text;
}

void violation(const std::string& report) {
  if (handler) return handler(report);
  std::fprintf(stderr, "\nfake CUDA: %s\n", report.c_str());
  std::fflush(stderr);
  std::abort();
}

ViolationHandler on_violation(ViolationHandler next) {
  std::swap(handler, next);
  return next;
}

}  // namespace fake_cuda
