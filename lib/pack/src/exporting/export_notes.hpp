// The notes on an export: what a user might not expect.
#pragma once

#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/export.hpp>

namespace octavo::exporting {

/// See ExportSummary. Reads the statistics, but no samples.
std::vector<std::string> export_notes(const Dataset& dataset, ExportFormat format);

}  // namespace octavo::exporting
