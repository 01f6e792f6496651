// The threads that work on one image or row together: a policy, so that one body serves a thread of the CPU and a block
// of a CUDA device.
#pragma once

#include <cstdint>

namespace octavo::kernels {

/// One thread that works alone.
struct OneThread {
  static constexpr std::int64_t index() { return 0; }
  static constexpr std::int64_t count() { return 1; }
  /// All threads wait for each other.
  static void wait() {}
  template <typename Number>
  static void add(Number& sum, Number number) {
    sum += number;
  }
};

}  // namespace octavo::kernels
