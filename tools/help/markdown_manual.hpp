// The manual of the program as one Markdown page.
#pragma once

#include <string>
#include <vector>

#include "help/option_tree.hpp"

namespace octavo::tools {

/// A page with a section for each verb. Reads the same with CommonMark and with Python-Markdown.
std::string markdown_manual(const std::string& description, const std::vector<VerbInfo>& verbs);

}  // namespace octavo::tools
