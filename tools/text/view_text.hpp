// What `octavo view` prints about a sheet.
#pragma once

#include <octavo/dataset.hpp>
#include <octavo/view.hpp>
#include <string>
#include <vector>

namespace octavo::tools {

/// A sheet that was written.
struct WrittenSheet {
  std::string file;
  const Split& split;
  const ContactSheetOptions& options;
  const std::vector<MaskShare>& legend;  ///< of its masks
  bool with_list;                        ///< list the samples
  bool as_json;
};

/// Prints a line about a sheet, and its samples if they are to be listed.
void print_sheet(const WrittenSheet& sheet);

}  // namespace octavo::tools
