// A generic owner of handles.
#pragma once

#include <utility>

namespace octavo {

/// Owns one handle and releases it unless it is null. Move-only. A moved-from owner may only be assigned or destroyed.
template <typename Handle, auto kNull, auto kRelease>
class UniqueHandle {
 public:
  UniqueHandle() = default;
  explicit UniqueHandle(Handle handle) : handle_(handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept : handle_(std::exchange(other.handle_, Handle(kNull))) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~UniqueHandle() { reset(); }

  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != Handle(kNull); }
  /// Gives up ownership: the caller must release the handle.
  Handle release() { return std::exchange(handle_, Handle(kNull)); }
  void reset() {
    if (*this) static_cast<void>(kRelease(release()));
  }

 private:
  Handle handle_ = Handle(kNull);
};

}  // namespace octavo
