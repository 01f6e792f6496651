// The defects found so far: counts all and keeps the first ones.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <octavo/verify.hpp>

namespace octavo::dataset_file {

/// Samples [first, first + count) of a split.
struct DefectRows {
  std::int64_t first = 0, count = 0;
};

class DefectList {
 public:
  static constexpr std::size_t kMostKept = 1000;

  /// Defects are sorted by the first of the samples that they affect; those without samples keep the order in which
  /// they were added.
  void add(std::string where, std::string what, DefectRows rows = {});
  /// Adds the defects of another list, for example of another thread; keeps those with the lowest first samples.
  void append(DefectList&& other);

  /// Sets the names of the samples of kept defects; `name_of` gives the stored name of a row.
  void name_samples(const std::function<std::string(std::int64_t row)>& name_of);

  std::int64_t count() const { return count_; }
  std::vector<Defect> kept() const;

 private:
  struct Entry {
    Defect defect;
    DefectRows rows;
  };
  std::vector<Entry> entries_;
  std::int64_t count_ = 0;
};

}  // namespace octavo::dataset_file
