// Comparisons of strategies and of batch sizes, as tables, JSON and charts.
#pragma once

#include <octavo/batch_sizes.hpp>
#include <octavo/strategies.hpp>

#include "text/chart.hpp"
#include "text/json_output.hpp"

namespace octavo::tools {

void print_strategies(const StrategyComparison& comparison);
Json as_json(const StrategyComparison& comparison);
Chart chart_of(const StrategyComparison& comparison);

void print_batch_sizes(const BatchSizeComparison& comparison);
Json as_json(const BatchSizeComparison& comparison);
Chart chart_of(const BatchSizeComparison& comparison);

}  // namespace octavo::tools
