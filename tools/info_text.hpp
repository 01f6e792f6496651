// The output of `octavo info`, as text and as JSON.
#pragma once

#include "dataset_overview.hpp"

namespace octavo::tools {

void print_overview(const DatasetOverview& overview);
void print_overview_json(const DatasetOverview& overview);

}  // namespace octavo::tools
