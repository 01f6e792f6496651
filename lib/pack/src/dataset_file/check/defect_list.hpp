// The defects found so far: all counted, the first ones kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <octavo/verify.hpp>

namespace octavo::dataset_file {

class DefectList {
 public:
  static constexpr std::size_t kMostKept = 1000;

  /// `row` is what defects are sorted by; those without one come in the order in which they were added.
  void add(std::string where, std::string what, std::int64_t row = 0);
  /// Adds those of another list, as of another thread; the defects with the lowest rows are kept.
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
