// Replaces malloc and its family, and makes the k-th call fail. Linked into a test, or preloaded.
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include <algorithm>

#include "control_page.hpp"
#include "main_begins.hpp"
#include "memory.hpp"

// The internal names of the glibc functions that are replaced here.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace octavo::faults {
namespace {

Control* control_page = nullptr;

__attribute__((constructor)) void begin() { control_page = map_control_page(); }

/// Whether the code at this address belongs to a library that does not handle failed allocations. HDF5 1.10 crashes,
/// becomes unusable or returns wrong results; OpenBLAS, and the Fortran runtime that is loaded with it, end the
/// process.
bool is_in_library(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return false;
  constexpr const char* kLibraries[] = {"libhdf5", "libopenblas", "libgfortran"};
  return std::ranges::any_of(kLibraries, [&](const char* name) { return ::strstr(info.dli_fname, name) != nullptr; });
}

/// Whether an allocation requested by `caller` must fail.
bool must_fail(const void* caller) {
  if (control_page == nullptr || (control_page->calls & bit(Call::memory)) == 0 || !has_main_begun()) {
    return false;
  }
  if (!is_its_turn(*control_page)) return false;
  if (is_in_library(caller)) control_page->failed_in_library.fetch_add(1);
  errno = ENOMEM;
  return true;
}

}  // namespace

const char* why_memory_cannot_fail() {
#if defined(OCTAVO_STATIC_HDF5)
  return "HDF5 is linked statically: its failed allocations cannot be told from Octavo's";
#else
  return "";
#endif
}
void use_memory_control(Control* control) { control_page = control; }

}  // namespace octavo::faults

using octavo::faults::must_fail;

extern "C" {

void* malloc(size_t size) { return must_fail(__builtin_return_address(0)) ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) {
  return must_fail(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return must_fail(__builtin_return_address(0)) ? nullptr : __libc_realloc(old, size);
}
void* memalign(size_t alignment, size_t size) {
  return must_fail(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return must_fail(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, size);
}
// glibc's strdup() calls malloc internally, which would hide the caller.
char* strdup(const char* text) {
  const size_t bytes = ::strlen(text) + 1;
  if (must_fail(__builtin_return_address(0))) return nullptr;
  void* const copy = __libc_malloc(bytes);
  return copy == nullptr ? nullptr : static_cast<char*>(::memcpy(copy, text, bytes));
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  if (must_fail(__builtin_return_address(0))) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}
}
