// The sections of the page that show what was measured and computed.
#pragma once

#include <string>

#include "report/page/page_data.hpp"

namespace octavo::report::page {

/// What int8 saves, in memory and on disk.
std::string savings_section(const PageData& page);

/// What quantizing changed, and the samples with the largest errors.
std::string cost_section(const PageData& page);

/// How fast batches are; empty if nothing was timed.
std::string speed_section(const PageData& page);

/// What fits on well-known GPUs.
std::string devices_section(const PageData& page);

}  // namespace octavo::report::page
