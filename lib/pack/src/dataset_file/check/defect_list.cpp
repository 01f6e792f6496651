#include "dataset_file/check/defect_list.hpp"

#include <algorithm>
#include <iterator>

namespace octavo::dataset_file {

void DefectList::add(std::string where, std::string what, DefectRows rows) {
  ++count_;
  if (entries_.size() < kMostKept) entries_.push_back({{std::move(where), std::move(what)}, rows});
}

void DefectList::name_samples(const std::function<std::string(std::int64_t row)>& name_of) {
  for (auto& [defect, rows] : entries_) {
    if (rows.count == 0) continue;
    defect.sample_name = name_of(rows.first);
    if (rows.count > 1) defect.sample_name += " to " + name_of(rows.first + rows.count - 1);
  }
}

void DefectList::append(DefectList&& other) {
  count_ += other.count_;
  std::move(other.entries_.begin(), other.entries_.end(), std::back_inserter(entries_));
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const auto& a, const auto& b) { return a.rows.first < b.rows.first; });
  if (entries_.size() > kMostKept) entries_.resize(kMostKept);
}

std::vector<Defect> DefectList::kept() const {
  std::vector<Defect> defects;
  for (const Entry& entry : entries_) defects.push_back(entry.defect);
  return defects;
}

}  // namespace octavo::dataset_file
