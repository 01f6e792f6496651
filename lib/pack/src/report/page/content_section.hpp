// The section of the page that shows the samples.
#pragma once

#include <cstdint>
#include <string>

#include "report/page/page_data.hpp"

namespace octavo::report::page {

/// The number of classes with a name or a sample.
std::int64_t class_count(const PageData& page);

/// Splits, classes with samples, distributions and unusual samples.
std::string content_section(const PageData& page);

}  // namespace octavo::report::page
