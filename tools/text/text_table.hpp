// Rows of text in columns.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace octavo::tools {

/// Text in columns as wide as their widest cell. Prints no trailing blanks.
class TextTable {
 public:
  /// One letter per column: 'l' aligns left, 'r' right.
  explicit TextTable(std::string alignment) : alignment_(std::move(alignment)) {}
  /// As many cells as there are columns, or fewer.
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Each line begins with `indent`.
  void print(std::ostream& out, const std::string& indent = "") const;

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace octavo::tools
