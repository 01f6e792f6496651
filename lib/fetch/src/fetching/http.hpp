// Sends HTTP requests.
#pragma once

#include <octavo/http_client.hpp>

namespace octavo::fetching {

/// Sends the request with the client that the program has set, else with libcurl. Throws Unavailable if there is
/// neither.
HttpOutcome get(const HttpRequest& request, HttpReceiver& receiver);

/// Sends the request with libcurl. Throws Unavailable in a build without it.
HttpOutcome get_with_curl(const HttpRequest& request, HttpReceiver& receiver);

/// False in a build without libcurl.
bool has_curl();

}  // namespace octavo::fetching
