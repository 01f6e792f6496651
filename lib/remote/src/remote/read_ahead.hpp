// Recognizes reads that follow one another.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace octavo::remote {

/// A range that will probably be read soon.
struct ExpectedRange {
  std::int64_t offset = 0, bytes = 0;
};

/// Remembers where the last reads ended. Several threads that read one block after another are one sequence, and so are
/// the samples, the labels and the checksums of a split, each by itself. Not thread-safe.
class ReadAhead {
 public:
  /// Notes a read, and returns what to fetch ahead of it.
  std::optional<ExpectedRange> note(std::int64_t offset, std::int64_t bytes);

 private:
  struct Sequence {
    std::int64_t end = -1;       ///< of the furthest read; -1: none
    std::int64_t ahead_end = 0;  ///< up to where it was fetched ahead
    std::int64_t window_bytes = 0;
    std::uint64_t last_use = 0;
  };
  std::array<Sequence, 16> sequences_;
  std::uint64_t uses_ = 0;
};

}  // namespace octavo::remote
