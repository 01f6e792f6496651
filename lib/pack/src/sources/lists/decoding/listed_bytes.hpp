// The bytes of the files that image lists name, counted as they are read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// Numbers the files on disk that the lists of one source name, so that each file counts once.
class ListedFileNumbers {
 public:
  /// For each file, whether its bytes were counted; atomic, since several samples may have one file.
  using Flags = std::deque<std::atomic<bool>>;

  /// `path` is absolute.
  std::size_t number_of(const std::string& path);
  const std::shared_ptr<Flags>& flags() const { return flags_; }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::shared_ptr<Flags> flags_ = std::make_shared<Flags>();
};

/// add() may be called from several threads, but only when all lists have their numbers.
class ListedBytes {
 public:
  /// `contents` must be of an image list. `numbers` is for all lists whose totals are added.
  ListedBytes(const ImageList& contents, ListedFileNumbers& numbers);

  /// The image of a sample, or its mask, was read and has this many bytes. Counts a file once, however often it is read
  /// or listed; files in archives do not count.
  void add(std::size_t split, std::size_t at, bool is_mask, std::int64_t bytes);
  std::int64_t total() const { return total_; }

 private:
  /// [split][image]: the number of the file; empty for splits in archives.
  using Numbers = std::vector<std::vector<std::size_t>>;

  Numbers images_, masks_;
  std::shared_ptr<ListedFileNumbers::Flags> flags_;
  std::atomic<std::int64_t> total_ = 0;
};

}  // namespace octavo::sources
