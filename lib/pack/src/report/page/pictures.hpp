// Samples as pictures in the page.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <octavo/dataset.hpp>

namespace octavo::report::page {

/// One <img> with the samples of these rows next to each other. Large samples are made smaller. `description` is
/// its alternative text, as HTML. Throws FormatError if a sample is damaged.
std::string picture_of_samples(const Split& split, std::span<const std::int64_t> rows, const std::string& description);

/// The same with the masks of the samples drawn over them, if the split has masks.
std::string picture_with_masks(const Split& split, std::span<const std::int64_t> rows, const std::string& description);

/// The sign of a mask value: a small square in the color that picture_with_masks() draws it in.
std::string picture_of_mask_class(int value);

/// The mean of all samples of the split.
std::string picture_of_mean(const Split& split);

}  // namespace octavo::report::page
