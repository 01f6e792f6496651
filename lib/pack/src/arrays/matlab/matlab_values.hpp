// What MATLAB's variables mean, whichever version of its files holds them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace octavo::arrays {

/// The axes of a variable whose axes were reversed, [N,1] or [1,N] of a row or column being [N]; others are unchanged.
std::vector<std::int64_t> matlab_axes(std::vector<std::int64_t> axes);

/// "a cell array", "a struct": what a variable of this class holds, for messages; empty if it is plain numbers. `name`
/// is MATLAB's name of the class. "char" is "text".
std::string matlab_content(const std::string& name);

/// The rows of a char matrix, without the blanks that make them equally long, as UTF-8.
///
/// units      UTF-16, the first axis (the rows) varying fastest
/// row_count  divides the number of units
std::vector<std::string> rows_of_char_matrix(const std::vector<std::uint16_t>& units, std::int64_t row_count);

}  // namespace octavo::arrays
