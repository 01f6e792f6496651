// Walks through memory that is in parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace octavo::remote {

/// The memory must stay valid.
class PartCursor {
 public:
  explicit PartCursor(std::span<const std::span<std::byte>> parts) : parts_(parts) { skip_empty(); }

  /// The next `bytes` bytes, as pieces.
  std::vector<std::span<std::byte>> next(std::int64_t bytes) {
    std::vector<std::span<std::byte>> pieces;
    for (auto left = static_cast<std::size_t>(bytes); left > 0;) {
      const std::span<std::byte> rest = parts_.front().subspan(done_);
      const std::size_t count = std::min(left, rest.size());
      pieces.push_back(rest.first(count));
      left -= count;
      done_ += count;
      skip_empty();
    }
    return pieces;
  }
  void copy(std::span<const std::byte> from) {
    for (const std::span<std::byte> piece : next(std::ssize(from))) {
      std::memcpy(piece.data(), from.data(), piece.size());
      from = from.subspan(piece.size());
    }
  }

 private:
  void skip_empty() {
    while (!parts_.empty() && done_ == parts_.front().size()) {
      parts_ = parts_.subspan(1);
      done_ = 0;
    }
  }

  std::span<const std::span<std::byte>> parts_;
  std::size_t done_ = 0;
};

}  // namespace octavo::remote
