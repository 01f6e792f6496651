// The bytes of the files that an image list names, counted as they are read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// add() may be called from several threads, but for one sample only from one at a time.
class ListedBytes {
 public:
  /// `contents` must be of an image list.
  explicit ListedBytes(const ImageList& contents);

  /// The image of a sample, or its mask, was read and has this many bytes. Counts a file once, however often it is read
  /// or listed; files in archives do not count.
  void add(std::size_t split, std::size_t at, bool is_mask, std::int64_t bytes);
  std::int64_t total() const { return total_; }

 private:
  /// [split][image]: whether the file still counts.
  using Flags = std::vector<std::vector<std::uint8_t>>;

  Flags images_, masks_;
  std::atomic<std::int64_t> total_ = 0;
};

}  // namespace octavo::sources
