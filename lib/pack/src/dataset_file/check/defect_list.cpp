#include "dataset_file/check/defect_list.hpp"

#include <algorithm>
#include <iterator>

namespace octavo::dataset_file {

void DefectList::add(std::string where, std::string what, std::int64_t row) {
  ++count_;
  if (entries_.size() < kMostKept) entries_.push_back({{std::move(where), std::move(what)}, row});
}

void DefectList::append(DefectList&& other) {
  count_ += other.count_;
  std::move(other.entries_.begin(), other.entries_.end(), std::back_inserter(entries_));
  std::stable_sort(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
  if (entries_.size() > kMostKept) entries_.resize(kMostKept);
}

std::vector<Defect> DefectList::kept() const {
  std::vector<Defect> defects;
  for (const Entry& entry : entries_) defects.push_back(entry.defect);
  return defects;
}

}  // namespace octavo::dataset_file
