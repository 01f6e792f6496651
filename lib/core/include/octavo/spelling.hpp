// Suggestions for misspelled names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace octavo {

/// The name that `text` most likely means: one that it begins, or one that differs in case or in at most a third of the
/// characters (inserted, missing, replaced or exchanged ones). Nothing if there is none.
std::optional<std::string> nearest_name(std::string_view text, const std::vector<std::string>& names);

/// `did you mean "train"?`, for messages; empty if no name is near.
std::string did_you_mean(std::string_view text, const std::vector<std::string>& names);

}  // namespace octavo
