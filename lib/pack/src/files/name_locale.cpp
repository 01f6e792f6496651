#include "files/name_locale.hpp"

#include <initializer_list>
#include <new>

namespace octavo::files {
namespace {

constexpr locale_t kNoLocale = nullptr;

/// Glibc, musl and recent macOS have C.UTF-8; older systems rarely lack en_US.
locale_t utf8_locale() {
  for (const char* const name : {"C.UTF-8", "C.utf8", "en_US.UTF-8"}) {
    if (const locale_t locale = ::newlocale(LC_CTYPE_MASK, name, kNoLocale); locale != kNoLocale) return locale;
  }
  return kNoLocale;
}

/// Made once, never freed. In the C locale, glibc's iconv() refuses what is not ASCII, and libarchive then leaves names
/// of tar archives alone; that of musl would put "*" for each character.
locale_t locale_of(NameLocale names) {
  static const locale_t utf8 = utf8_locale();
#ifdef __GLIBC__
  const bool wants_utf8 = names == NameLocale::utf8;
#else
  const bool wants_utf8 = true;
#endif
  if (wants_utf8 && utf8 != kNoLocale) return utf8;
  static const locale_t bytes = ::newlocale(LC_CTYPE_MASK, "C", kNoLocale);
  if (bytes == kNoLocale) throw std::bad_alloc();
  return bytes;
}

}  // namespace

ScopedLocale::ScopedLocale(NameLocale names) : before_(::uselocale(locale_of(names))) {}

ScopedLocale::~ScopedLocale() { ::uselocale(before_); }

}  // namespace octavo::files
