// What `octavo pack` says: what it would do, and what it has done.
#pragma once

#include <octavo/pack.hpp>
#include <octavo/source.hpp>
#include <string>

namespace octavo::tools {

/// What --dry-run shows of a source.
void print_plan(const Source& source);
void print_plan_json(const Source& source);

/// What packing `source` into `path` did.
void print_summary(const std::string& path, const Source& source, const PackSummary& summary);
/// One line on stderr for each sample that was left out.
void list_skipped(const std::vector<SampleFailure>& skipped);
void print_summary_json(const std::string& path, const PackSummary& summary);

}  // namespace octavo::tools
