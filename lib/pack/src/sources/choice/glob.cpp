#include "sources/choice/glob.hpp"

#include <fnmatch.h>

namespace octavo::sources {

bool matches_glob(const std::string& pattern, const std::string& text) {
  return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

}  // namespace octavo::sources
