// Divides scratch memory into arrays.
#pragma once

#include <cstddef>
#include <cstdint>

namespace octavo::kernels::cpu {

/// Alignment of scratch memory, and of each part.
inline constexpr std::int64_t kScratchAlignment = 64;

/// Takes parts one after the other. Without memory, only counts their bytes.
class ScratchParts {
 public:
  explicit ScratchParts(std::byte* memory) : memory_(memory) {}

  template <typename T>
  T* take(std::int64_t count) {
    T* const taken = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + bytes_);
    const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(T));
    bytes_ += (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
    return taken;
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::byte* memory_;
  std::int64_t bytes_ = 0;
};

}  // namespace octavo::kernels::cpu
