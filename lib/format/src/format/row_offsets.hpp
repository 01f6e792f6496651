// Where consecutive rows are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace octavo::dataset_file {

struct RowTables;

/// Where each of N rows begins, one right after the other: a product if all have one size, else a table. Copies share
/// the table. Also has what decodes these rows: the tables, if they need any, and the step of their values.
class RowOffsets {
 public:
  RowOffsets() = default;
  /// Rows of `row_bytes`.
  RowOffsets(std::int64_t row_count, std::int64_t row_bytes)
      : row_count_(row_count), row_bytes_(row_bytes), largest_(row_bytes) {}
  /// Rows of different sizes, whose sum does not overflow.
  static RowOffsets of_sizes(std::span<const std::uint32_t> sizes, std::shared_ptr<const RowTables> tables,
                             std::uint32_t value_step) {
    RowOffsets rows;
    rows.tables_ = std::move(tables);
    rows.value_step_ = value_step;
    std::vector<std::uint64_t> offsets = {0};
    offsets.reserve(sizes.size() + 1);
    for (const std::uint32_t bytes : sizes) {
      offsets.push_back(offsets.back() + bytes);
      rows.largest_ = std::max<std::int64_t>(rows.largest_, bytes);
    }
    rows.row_count_ = static_cast<std::int64_t>(sizes.size());
    rows.offsets_ = std::make_shared<const std::vector<std::uint64_t>>(std::move(offsets));
    return rows;
  }

  std::int64_t row_count() const { return row_count_; }
  bool have_one_size() const { return offsets_ == nullptr; }
  /// Where `row`, which is in [0, N], begins; for N, the end of all.
  std::int64_t operator[](std::int64_t row) const {
    return have_one_size() ? row * row_bytes_ : static_cast<std::int64_t>((*offsets_)[static_cast<std::size_t>(row)]);
  }
  std::int64_t bytes(std::int64_t row) const { return bytes(row, 1); }
  /// Of `count` rows from `first` on.
  std::int64_t bytes(std::int64_t first, std::int64_t count) const { return (*this)[first + count] - (*this)[first]; }
  std::int64_t total_bytes() const { return (*this)[row_count_]; }
  std::int64_t largest_bytes() const { return largest_; }
  /// Rounded up; at least 1.
  std::int64_t mean_bytes() const {
    const std::int64_t count = std::max<std::int64_t>(1, row_count_);
    return std::max<std::int64_t>(1, (total_bytes() + count - 1) / count);
  }
  /// The table, [N+1]; empty if all have one size.
  std::span<const std::uint64_t> table() const {
    return have_one_size() ? std::span<const std::uint64_t>() : std::span<const std::uint64_t>(*offsets_);
  }

  /// Null if there are none.
  const std::shared_ptr<const RowTables>& tables() const { return tables_; }
  /// kernels/codecs/value_step.hpp
  std::uint32_t value_step() const { return value_step_; }

  /// These rows, one after the other.
  RowOffsets selected_rows(std::span<const std::int64_t> rows) const {
    if (have_one_size()) return {static_cast<std::int64_t>(rows.size()), row_bytes_};
    std::vector<std::uint32_t> sizes;
    sizes.reserve(rows.size());
    for (const std::int64_t row : rows) sizes.push_back(static_cast<std::uint32_t>(bytes(row)));
    return of_sizes(sizes, tables_, value_step_);
  }
  /// Where `count` rows from `first` on begin, and end, counted from `first`; empty if all have one size.
  std::vector<std::uint64_t> offsets_from(std::int64_t first, std::int64_t count) const {
    std::vector<std::uint64_t> offsets;
    for (std::int64_t i = 0; !have_one_size() && i <= count; ++i) {
      offsets.push_back(static_cast<std::uint64_t>(bytes(first, i)));
    }
    return offsets;
  }

  /// The rows of `ranges` of this, one after the other; range.first and range.count are of the rows of a range.
  template <typename Ranges>
  RowOffsets selected(const Ranges& ranges) const {
    std::vector<std::uint32_t> sizes;
    std::int64_t count = 0;
    for (const auto& range : ranges) {
      count += range.count;
      if (have_one_size()) continue;
      for (std::int64_t i = 0; i < range.count; ++i) {
        sizes.push_back(static_cast<std::uint32_t>(bytes(range.first + i)));
      }
    }
    return have_one_size() ? RowOffsets(count, row_bytes_) : of_sizes(sizes, tables_, value_step_);
  }

 private:
  std::int64_t row_count_ = 0, row_bytes_ = 0, largest_ = 0;
  std::shared_ptr<const std::vector<std::uint64_t>> offsets_;  ///< [N+1], or null
  std::shared_ptr<const RowTables> tables_;
  std::uint32_t value_step_ = 1;
};

}  // namespace octavo::dataset_file
