// The memory that a read fills, which may be in several parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace octavo::block_cache {

/// Memory for the bytes [begin(), end()) of a source. Parts may overlap: a caller discards gaps into one buffer.
class Parts {
 public:
  /// `parts` must outlive this object.
  Parts(std::int64_t offset, std::span<const std::span<std::byte>> parts)
      : begin_(offset), end_(offset), parts_(parts) {
    for (const std::span<std::byte> part : parts) end_ += static_cast<std::int64_t>(part.size());
  }

  std::int64_t begin() const { return begin_; }
  std::int64_t end() const { return end_; }
  std::span<const std::span<std::byte>> all() const { return parts_; }

  /// The memory for [first, last), or null if it is not in one part.
  std::byte* in_one_part(std::int64_t first, std::int64_t last) const {
    std::int64_t at = begin_;
    for (const std::span<std::byte> part : parts_) {
      const std::int64_t next = at + static_cast<std::int64_t>(part.size());
      if (first < next) return first >= at && last <= next ? part.data() + (first - at) : nullptr;
      at = next;
    }
    return nullptr;
  }

  /// The parts of what [first, last) and this range have in common.
  std::vector<std::span<std::byte>> cut(std::int64_t first, std::int64_t last) const {
    std::vector<std::span<std::byte>> cut;
    std::int64_t at = begin_;
    for (const std::span<std::byte> part : parts_) {
      const std::int64_t next = at + static_cast<std::int64_t>(part.size());
      const std::int64_t from = std::max(at, first), to = std::min(next, last);
      if (from < to)
        cut.push_back(part.subspan(static_cast<std::size_t>(from - at), static_cast<std::size_t>(to - from)));
      at = next;
    }
    return cut;
  }

  /// Copies the bytes that both ranges have; `bytes` begin at `first` in the source.
  void fill(std::int64_t first, std::span<const std::byte> bytes) const {
    const std::byte* from = bytes.data() + std::max<std::int64_t>(0, begin_ - first);
    for (const std::span<std::byte> part : cut(first, first + static_cast<std::int64_t>(bytes.size()))) {
      std::memcpy(part.data(), from, part.size());
      from += part.size();
    }
  }

 private:
  std::int64_t begin_, end_;
  std::span<const std::span<std::byte>> parts_;
};

}  // namespace octavo::block_cache
