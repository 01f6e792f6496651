// Notes on the images and masks of a list that are not where, or not named as, the list says.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "sources/lists/table/listed_file.hpp"

namespace octavo::sources {

class SearchNotes {
 public:
  /// The file that the list names as `named`.
  void add(const std::string& named, const ListedFile& file);
  /// `list` is the file name of the list.
  std::vector<std::string> remarks(const std::string& list) const;

 private:
  std::set<std::string> folders_;  ///< outside the usual ones
  std::int64_t found_by_name_count_ = 0, case_count_ = 0, from_above_count_ = 0;
  std::string first_found_by_name_, first_in_other_case_, first_from_above_;
};

}  // namespace octavo::sources
