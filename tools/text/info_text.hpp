// The output of `octavo info`, as text and as JSON.
#pragma once

#include "text/dataset_overview.hpp"

namespace octavo::tools {

/// A summary in one line, splits, classes and outliers; if `is_verbose`, also the file, statistics and provenance.
void print_overview(const DatasetOverview& overview, bool is_verbose);
void print_overview_json(const DatasetOverview& overview);

}  // namespace octavo::tools
