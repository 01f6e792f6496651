// Sets the floating-point mode that the numerics are defined for, whatever the host program has set.
#pragma once

#include <cstdint>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace octavo::kernels::cpu {

/// The mode of the calling thread.
struct FloatingPointMode {
#if defined(__SSE__)
  static constexpr std::uint64_t kDefault = 0x1F80;  ///< MXCSR: all exceptions masked, no FTZ, no DAZ, nearest
  static constexpr std::uint64_t kFlushToZero = 0x8040;
  static std::uint64_t read() { return _mm_getcsr(); }
  static void write(std::uint64_t mode) { _mm_setcsr(static_cast<unsigned>(mode)); }
#elif defined(__aarch64__)
  static constexpr std::uint64_t kDefault = 0;  ///< FPCR: no flush-to-zero, nearest
  static constexpr std::uint64_t kFlushToZero = 1 << 24;
  static std::uint64_t read() {
    std::uint64_t mode;
    asm volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
  }
  static void write(std::uint64_t mode) { asm volatile("msr fpcr, %0" ::"r"(mode)); }
#else
#error "the floating-point mode of this processor is not known here"
#endif
};

/// Within its scope, the calling thread rounds to nearest even and keeps subnormals (a host program may have set
/// flush-to-zero). The destructor restores the old mode.
class DefaultFloatingPointMode {
 public:
  DefaultFloatingPointMode() : saved_(FloatingPointMode::read()) {
    FloatingPointMode::write(FloatingPointMode::kDefault);
  }
  ~DefaultFloatingPointMode() { FloatingPointMode::write(saved_); }
  DefaultFloatingPointMode(const DefaultFloatingPointMode&) = delete;
  DefaultFloatingPointMode& operator=(const DefaultFloatingPointMode&) = delete;

 private:
  std::uint64_t saved_;
};

}  // namespace octavo::kernels::cpu
