#include "sources/lists/folders/left_out_members.hpp"

#include <octavo/byte_count.hpp>
#include <octavo/text.hpp>

#include "support/text/utf8.hpp"

namespace octavo::sources {
namespace {

constexpr std::size_t kMostNamesInNote = 20, kMostBytesOfName = 60;

std::string shortened(std::string_view name) {
  const std::string_view start = cut_utf8(name, kMostBytesOfName);
  return std::string(start) + (start.size() < name.size() ? "..." : "");
}

}  // namespace

void FewNames::add(std::string_view name, std::string_view quote) {
  const std::string shown = std::string(quote) + printable(shortened(name)) + std::string(quote);
  if (names_.contains(shown)) return;
  if (names_.size() < kMostNamesInNote) {
    names_.insert(shown);
  } else {
    has_more_ = true;
  }
}

std::string FewNames::listed() const {
  std::string text;
  std::size_t left = names_.size();
  for (const std::string& name : names_) {
    const bool is_last = --left == 0 && !has_more_;
    text += (text.empty() ? "" : is_last ? " and " : ", ") + name;
  }
  return text + (has_more_ ? ", ..." : "");
}

std::string FewNames::listed_as(const std::string& noun) const {
  return "the " + noun + (names_.size() > 1 ? "s " : " ") + listed();
}

void LeftOutMembers::add_member(const std::string& extension, bool is_first_of_sample) {
  if (is_first_of_sample) ++sample_count_;
  extensions_.add(extension.empty() ? "without extension" : "." + extension, "");
}

void LeftOutMembers::add_without_image(std::string_view name) {
  ++without_image_count_;
  without_image_.add(name, "");
}

std::vector<std::string> LeftOutMembers::remarks() const {
  std::vector<std::string> remarks;
  std::string text;
  if (!extensions_.empty()) text = extensions_.listed_as("member") + " of " + counted(sample_count_, "sample");
  if (!json_keys_.empty()) text += (text.empty() ? "" : ", and ") + json_keys_.listed_as("JSON key");
  if (!text.empty()) remarks.push_back("left out " + text);
  if (!without_image_.empty()) {
    remarks.push_back("left out " + counted(without_image_count_, "sample") +
                      " without an image: " + without_image_.listed());
  }
  return remarks;
}

}  // namespace octavo::sources
