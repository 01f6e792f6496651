// Image formats that are recognized, to be refused by name, but not read.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace octavo::images {

/// Why an image that begins with `start` cannot be read, and how to convert it, if it has one of these formats.
std::optional<std::string> other_format_problem(std::span<const std::byte> start);

/// Whether a file name has an extension of one of these formats, in upper or lower case.
bool has_other_image_name(const std::string& name);

}  // namespace octavo::images
