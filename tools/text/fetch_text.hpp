// The output of `octavo fetch`, as text and as JSON.
#pragma once

#include <octavo/fetch.hpp>
#include <string>

namespace octavo::tools {

/// The command that packs the files fetched into `folder`.
std::string pack_command(const RemoteSet& set, const std::string& folder);

void print_known_sets();
void print_known_sets_json();
/// Describes one dataset. The JSON is the form that --from reads.
void print_set(const RemoteSet& set);
void print_set_json(const RemoteSet& set);
void print_fetched(const RemoteSet& set, const std::string& folder, const FetchSummary& summary);
void print_fetched_json(const RemoteSet& set, const std::string& folder, const FetchSummary& summary);

}  // namespace octavo::tools
