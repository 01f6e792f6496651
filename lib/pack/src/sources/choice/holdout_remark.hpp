// What a holdout achieved, as a note for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sources/choice/row_choice.hpp"

namespace octavo::sources {

/// "val has 19.8 % of the samples (asked: 20 %) in 41 of 205 groups; the share of a class is from 12 % ("x") to 31 %
/// ("y")". `groups` is the number of the group of each row of `part`, the split that is divided; empty: no groups.
std::string remark_on_holdout(const Source& source, const ChosenSplit& part, const std::vector<bool>& is_held_out,
                              const std::vector<std::int32_t>& groups, const Holdout& holdout);

}  // namespace octavo::sources
