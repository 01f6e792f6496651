// Plans the reading of rows: which are next to each other in the file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace octavo::dataset_file {

/// A requested row: its number in the split and its position in the list.
struct WantedRow {
  std::int64_t row;
  std::int64_t place;
};

/// The requested rows, in the order in which they are read.
inline std::vector<WantedRow> wanted_rows(std::span<const std::int64_t> rows, bool sorts) {
  std::vector<WantedRow> wanted;
  wanted.reserve(rows.size());
  for (const std::int64_t row : rows) wanted.push_back({row, static_cast<std::int64_t>(wanted.size())});
  if (sorts) {
    std::sort(wanted.begin(), wanted.end(), [](const WantedRow& a, const WantedRow& b) {
      return a.row != b.row ? a.row < b.row : a.place < b.place;
    });
  }
  return wanted;
}

/// Wanted rows divided into runs that are read together.
class RowRuns {
 public:
  /// continues(run, row): whether a row belongs to the run before it, whose rows so far are given.
  template <typename Continues>
  RowRuns(std::vector<WantedRow> rows, const Continues& continues) : rows_(std::move(rows)) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i == 0 ||
          !continues(std::span<const WantedRow>(rows_).subspan(starts_.back(), i - starts_.back()), rows_[i].row)) {
        starts_.push_back(i);
      }
    }
    starts_.push_back(rows_.size());
  }

  std::int64_t count() const { return static_cast<std::int64_t>(starts_.size()) - 1; }
  std::span<const WantedRow> run(std::int64_t number) const {
    const auto i = static_cast<std::size_t>(number);
    return std::span(rows_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
  }

 private:
  std::vector<WantedRow> rows_;
  std::vector<std::size_t> starts_;  ///< where each run starts, then the end
};

}  // namespace octavo::dataset_file
