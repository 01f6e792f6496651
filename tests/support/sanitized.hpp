// Whether a sanitizer slows this build down.
#pragma once

namespace octavo::test {

constexpr bool is_sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return false;
#endif
}

}  // namespace octavo::test
