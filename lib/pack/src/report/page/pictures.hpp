// Samples as pictures in the page.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <octavo/dataset.hpp>

namespace octavo::report::page {

/// One <img> with the samples of these rows next to each other. Large samples are made smaller. `description`, HTML, is
/// its text for people who do not see it. Throws FormatError if a sample is damaged.
std::string picture_of_samples(const Split& split, std::span<const std::int64_t> rows, const std::string& description);

/// The mean of all samples of the split.
std::string picture_of_mean(const Split& split);

}  // namespace octavo::report::page
