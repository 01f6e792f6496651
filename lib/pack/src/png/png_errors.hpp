// The error and memory callbacks for libpng.
#pragma once

#include <png.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

namespace octavo {

/// The last error of one libpng reader or writer. Create it with this object as the context of the functions below.
/// They are called from C and throw nothing.
struct PngErrors {
  char message[256] = {};
  bool is_out_of_memory = false;

  /// Jumps out of libpng's C frames, because no exception may pass through them.
  [[noreturn]] static void on_error(png_structp png, png_const_charp message) {
    PngErrors& errors = *static_cast<PngErrors*>(png_get_error_ptr(png));
    std::snprintf(errors.message, sizeof errors.message, "%s", message);
    png_longjmp(png, 1);
  }

  static void on_warning(png_structp, png_const_charp) {}

  /// Notes a failed allocation: libpng itself reports it only as text.
  static png_voidp on_allocate(png_structp png, png_alloc_size_t bytes) {
    void* const memory = std::malloc(bytes);
    if (memory == nullptr) static_cast<PngErrors*>(png_get_mem_ptr(png))->is_out_of_memory = true;
    return memory;
  }

  static void on_free(png_structp, png_voidp memory) { std::free(memory); }

  /// After an error: throws std::bad_alloc if memory ran out, else `Error` with `doing` and the message.
  template <typename Error>
  [[noreturn]] void raise(const std::string& doing) const {
    if (is_out_of_memory) throw std::bad_alloc();
    throw Error(doing + ": " + message);
  }
};

}  // namespace octavo
