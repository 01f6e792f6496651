// The defects found so far: counts all and keeps the first ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <octavo/verify.hpp>

namespace octavo::dataset_file {

class DefectList {
 public:
  static constexpr std::size_t kMostKept = 1000;

  /// Defects are sorted by `row`; those without a row keep the order in which they were added.
  void add(std::string where, std::string what, std::int64_t row = 0);
  /// Adds the defects of another list, for example of another thread; keeps those with the lowest rows.
  void append(DefectList&& other);

  std::int64_t count() const { return count_; }
  std::vector<Defect> kept() const;

 private:
  struct Entry {
    Defect defect;
    std::int64_t row = 0;
  };
  std::vector<Entry> entries_;
  std::int64_t count_ = 0;
};

}  // namespace octavo::dataset_file
