// What looks wrong in a dataset, as HTML.
#pragma once

#include <cstdint>
#include <string>

#include <octavo/dataset.hpp>
#include <octavo/doctor.hpp>

namespace octavo::report::page {

/// Examples of each finding that the page shows.
inline constexpr std::size_t kShownExamples = 8;

/// The findings of the doctor as a list, with pictures of their examples.
std::string findings_list(const Dataset& dataset, const DoctorReport& report, OptionSpelling spelling);

/// The name of sample `row` if the file has one, otherwise "train #17". HTML.
std::string sample_title(const Split& split, std::int64_t row);

}  // namespace octavo::report::page
