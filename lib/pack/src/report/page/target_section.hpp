// The part of the page that shows the targets of regression.
#pragma once

#include <string>

#include "report/page/page_data.hpp"

namespace octavo::report::page {

/// A histogram with minimum, mean and maximum for each column of targets of each split; empty without targets.
std::string targets(const PageData& page);

}  // namespace octavo::report::page
