// The contents of files that were read recently, up to a number of bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace octavo::files {

/// For files that several links lead to: an archive is read from front to back, and to read a file again is to start
/// again. Not thread-safe.
class RecentMembers {
 public:
  std::optional<std::string> find(std::int64_t number) const;
  /// Keeps the contents of a member unless they are too large; forgets the oldest for them.
  void add(std::int64_t number, const std::string& bytes);

 private:
  std::map<std::int64_t, std::string> kept_;  ///< by the number of the member
  std::deque<std::int64_t> oldest_first_;
  std::int64_t held_bytes_ = 0;
};

}  // namespace octavo::files
