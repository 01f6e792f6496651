#include "sources/lists/folders/search_notes.hpp"

#include <filesystem>

#include <octavo/byte_count.hpp>
#include <octavo/text.hpp>

namespace octavo::sources {
namespace {

std::string quoted_text(const std::string& text) { return "\"" + printable(text) + "\""; }

}  // namespace

void SearchNotes::add(const std::string& named, const ListedFile& file) {
  if (file.is_found_by_name) {
    if (found_by_name_count_++ == 0) first_found_by_name_ = file.path;
    folders_.insert(std::filesystem::path(file.path).parent_path().string());
  }
  if (file.differs_in_case && case_count_++ == 0) {
    first_in_other_case_ = quoted_text(named) + " for " + quoted_text(file.path);
  }
  if (file.is_from_above && from_above_count_++ == 0) {
    first_from_above_ = quoted_text(named) + " for " + quoted_text(file.path);
  }
}

std::vector<std::string> SearchNotes::remarks(const std::string& list) const {
  std::vector<std::string> remarks;
  if (found_by_name_count_ > 0) {
    remarks.push_back(counted(found_by_name_count_, "image") + " of " + printable(list) +
                      (found_by_name_count_ == 1 ? " is" : " are") + " found by name in " +
                      counted(std::ssize(folders_), "folder") + " below the list, such as " +
                      quoted_text(first_found_by_name_));
  }
  if (case_count_ > 0) {
    remarks.push_back(counted(case_count_, "name") + " in " + printable(list) +
                      (case_count_ == 1 ? " differs" : " differ") + " from the " +
                      (case_count_ == 1 ? "file" : "files") + " in case, such as " + first_in_other_case_);
  }
  if (from_above_count_ > 0) {
    remarks.push_back(counted(from_above_count_, "path") + " of " + printable(list) +
                      (from_above_count_ == 1 ? " begins" : " begin") +
                      " with the list's own folder, which is left out, such as " + first_from_above_);
  }
  return remarks;
}

}  // namespace octavo::sources
