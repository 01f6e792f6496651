// The HTTP client of Python's standard library, for builds without libcurl.
#pragma once

#include <octavo/http_client.hpp>

namespace octavo::python {

/// Sends the request with octavo._http. The caller does not hold the GIL. Throws IoError if the client fails.
HttpOutcome get_with_python(const HttpRequest& request, HttpReceiver& receiver);

}  // namespace octavo::python
