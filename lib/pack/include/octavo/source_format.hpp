// The formats of sources. The command line, Python and the documentation list them.
#pragma once

#include <string_view>
#include <vector>

namespace octavo {

/// The name that stands for detecting the format from the contents.
inline constexpr std::string_view kAutomaticFormat = "auto";

struct SourceFormat {
  std::string_view name;                  ///< "idx"
  std::vector<std::string_view> aliases;  ///< other names for it, such as "npz" for "npy"
};

/// All formats: kAutomaticFormat, then the others in the order in which a file is tried.
std::vector<SourceFormat> source_formats();

}  // namespace octavo
