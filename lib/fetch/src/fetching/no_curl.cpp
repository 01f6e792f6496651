// Replaces curl.cpp in a build without libcurl.
#include <octavo/errors.hpp>

#include "fetching/http.hpp"

namespace octavo::fetching {

HttpOutcome get_with_curl(const HttpRequest& request, HttpReceiver&) {
  throw Unavailable("fetch " + request.url +
                    ": this build lacks libcurl; install libcurl4-openssl-dev and build again, or download the file "
                    "with another program");
}

bool has_curl() { return false; }

}  // namespace octavo::fetching
