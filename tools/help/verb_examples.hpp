// Commands that show how each verb is used.
#pragma once

#include <string>
#include <vector>

namespace octavo::tools {

struct Example {
  std::string meaning;  ///< "Pack a folder with a folder per class"
  std::string command;  ///< "octavo pack photos -o photos.h5"
};

/// At least two for every verb. `verb` must exist.
const std::vector<Example>& examples_of_verb(const std::string& verb);

}  // namespace octavo::tools
