// The output of `octavo pack`: the plan of a dry run and the summary of a run.
#pragma once

#include <octavo/pack.hpp>
#include <octavo/source.hpp>
#include <string>

namespace octavo::tools {

/// The output of --dry-run.
void print_plan(const Source& source);
void print_plan_json(const Source& source);

/// The summary after packing `source` into `path`.
void print_summary(const std::string& path, const Source& source, const PackSummary& summary);
/// One line on stderr for each sample that was left out.
void list_skipped(const std::vector<SampleFailure>& skipped);
void print_summary_json(const std::string& path, const PackSummary& summary);

}  // namespace octavo::tools
