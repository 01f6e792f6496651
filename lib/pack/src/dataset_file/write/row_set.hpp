// A set of row numbers, added in any order. Uses one bit per row: 12.5 MB for 10^8 rows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace octavo::dataset_file {

class RowSet {
 public:
  explicit RowSet(std::int64_t capacity)
      : capacity_(capacity), words_(static_cast<std::size_t>((capacity + 63) / 64)) {}

  std::int64_t capacity() const { return capacity_; }
  /// The number of rows in the set.
  std::int64_t size() const { return size_; }
  bool contains(std::int64_t row) const { return (words_[static_cast<std::size_t>(row / 64)] >> (row % 64) & 1) != 0; }
  void insert(std::int64_t row) {
    size_ += contains(row) ? 0 : 1;
    words_[static_cast<std::size_t>(row / 64)] |= std::uint64_t{1} << (row % 64);
  }
  /// The first row of [begin, end) that is (or is not) in the set; `end` if there is none.
  std::int64_t find(std::int64_t begin, std::int64_t end, bool is_in) const {
    while (begin < end && contains(begin) != is_in) ++begin;
    return begin;
  }

 private:
  std::int64_t capacity_;
  std::int64_t size_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace octavo::dataset_file
