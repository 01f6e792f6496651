// The ranges of a file that were requested before they are read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "remote/transfers.hpp"

namespace octavo::remote {

/// A part of a read, and the kept range that has it, if any.
struct RangePart {
  std::int64_t offset = 0, bytes = 0;
  std::shared_ptr<Fetch> kept;
};

/// Ranges that do not overlap, and have at most so many bytes in all. Not thread-safe.
class KeptRanges {
 public:
  explicit KeptRanges(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  /// Divides [offset, offset + bytes) into parts that are in a kept range, and parts that are in none.
  std::vector<RangePart> divide(std::int64_t offset, std::int64_t bytes) const;
  /// Keeps a range, which must overlap no other. Removes the oldest that are complete and were not read to make room.
  /// Returns false if there is none even so.
  bool keep(const std::shared_ptr<Fetch>& fetch);
  /// A reader has copied so many bytes of a range. It is removed when all were read.
  void take(const Fetch& fetch, std::int64_t bytes);
  void remove(const Fetch& fetch);
  /// While a reader uses a range, it stays.
  void begin_use(const Fetch& fetch);
  void end_use(const Fetch& fetch);

  std::int64_t bytes() const { return bytes_; }

 private:
  struct Range {
    std::shared_ptr<Fetch> fetch;
    std::uint64_t age;
    std::int64_t taken_bytes = 0;
    int users = 0;
  };
  using Ranges = std::map<std::int64_t, Range>;  ///< by offset
  Ranges::iterator find(const Fetch& fetch);
  Ranges::iterator erase(Ranges::iterator range);
  void make_room(std::int64_t bytes);

  std::int64_t most_bytes_;
  std::int64_t bytes_ = 0;
  std::uint64_t kept_count_ = 0;
  Ranges ranges_;
  std::map<std::uint64_t, std::int64_t> by_age_;  ///< the offset of each range
};

}  // namespace octavo::remote
