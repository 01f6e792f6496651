// Replaces fetching in a build without a library for checksums.
#include <octavo/errors.hpp>
#include <octavo/fetch.hpp>
#include <octavo/http_client.hpp>

namespace octavo {

FetchSummary fetch(const RemoteSet& set, const std::filesystem::path&, const FetchOptions&) {
  throw Unavailable("fetch \"" + set.name + "\": this build lacks a library for checksums, libcrypto or Mbed TLS; " +
                    "get the files from " + (set.page.empty() ? "their publisher" : set.page) +
                    ", or install libcurl4-openssl-dev and libssl-dev or libmbedtls-dev, and build again");
}

FetchSummary fetch(std::string_view name, const std::filesystem::path& folder, const FetchOptions& options) {
  return fetch(known_set(name), folder, options);
}

void set_http_client(HttpClient) {}

bool has_http_client() { return false; }

}  // namespace octavo
