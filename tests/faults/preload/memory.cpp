// Replaces malloc and its family, to make the k-th of their calls fail. Linked into a test, or preloaded.
#include <errno.h>

#include "control_page.hpp"
#include "main_begins.hpp"
#include "memory.hpp"

// What glibc's own functions are called behind the names that are replaced here.
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

bool must_fail() {
  if (control_page == nullptr || (control_page->calls & bit(Call::memory)) == 0 || !has_main_begun()) {
    return false;
  }
  if (!is_its_turn(*control_page)) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

bool can_fail_memory() { return true; }
void use_memory_control(Control* control) { control_page = control; }

}  // namespace octavo::faults

using octavo::faults::must_fail;

extern "C" {

void* malloc(size_t size) { return must_fail() ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return must_fail() ? nullptr : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return must_fail() ? nullptr : __libc_realloc(old, size); }
void* memalign(size_t alignment, size_t size) { return must_fail() ? nullptr : __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return must_fail() ? nullptr : __libc_memalign(alignment, size); }
int posix_memalign(void** out, size_t alignment, size_t size) {
  if (must_fail()) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}
}
