// What `octavo fetch` says, for people and as JSON.
#pragma once

#include <octavo/fetch.hpp>
#include <string>

namespace octavo::tools {

/// The command that packs what was fetched into `folder`.
std::string pack_command(const RemoteSet& set, const std::string& folder);

void print_known_sets();
/// Each set as a description that --from reads.
void print_known_sets_json();
void print_fetched(const RemoteSet& set, const std::string& folder, const FetchSummary& summary);
void print_fetched_json(const RemoteSet& set, const std::string& folder, const FetchSummary& summary);

}  // namespace octavo::tools
