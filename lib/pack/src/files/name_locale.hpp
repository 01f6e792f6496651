// The locale in which libarchive converts the names of an archive.
#pragma once

#include <locale.h>

namespace octavo::files {

/// How libarchive treats names that are marked as UTF-8. It converts them to the encoding of the thread's locale,
/// and loses those that do not fit into it.
enum class NameLocale {
  utf8,   ///< names stay UTF-8, but in Normalization Form C
  bytes,  ///< no conversion is possible: names of a tar archive are its bytes
};

/// Sets the locale of this thread, and restores it in the end. The locale of the process, and those of other threads,
/// are not changed. Without a UTF-8 locale in the system, `utf8` is as `bytes`.
class ScopedLocale {
 public:
  explicit ScopedLocale(NameLocale names);
  ~ScopedLocale();
  ScopedLocale(const ScopedLocale&) = delete;
  ScopedLocale& operator=(const ScopedLocale&) = delete;

 private:
  locale_t before_;
};

}  // namespace octavo::files
